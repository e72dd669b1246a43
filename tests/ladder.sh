#!/usr/bin/env bash
# The strength ladder of the README: each player against the next, 200 games from the 4-ply suite.
# Usage: tests/ladder.sh [ENGINE]; results go to the folder ladder/, the table to standard output.
# Interrupted, it goes on where it was when it is started again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

engine=${1:-target/release/otrera}
mkdir -p ladder

# Name and settings of each player, the weakest first.
names=(random greedy '1,000 nodes' '4,000 nodes' '16,000 nodes' '64,000 nodes')
settings=('option.Player=random nodes=1' 'option.Player=greedy nodes=1'
    nodes=1000 nodes=4000 nodes=16000 nodes=64000)

printf '| stronger | weaker | games | score | Elo |\n|---|---|---|---|---|\n'
for step in 1 2 3 4 5; do
    strong=${names[step]} weak=${names[step - 1]} result=ladder/$step.jsonl
    if [[ -e $result ]]; then
        arguments=(-resume "$result" -concurrency 2)
    else
        read -ra strong_settings <<< "${settings[step]}"
        read -ra weak_settings <<< "${settings[step - 1]}"
        arguments=(-engine "cmd=$engine" "name=$strong" "${strong_settings[@]}"
            -engine "cmd=$engine" "name=$weak" "${weak_settings[@]}"
            -openings file=openings/4-ply.txt -rounds 100 -concurrency 2 -result "$result")
    fi
    report=$("$engine" match "${arguments[@]}")
    elo=$(sed -n 's/^Elo: \(.*\), nElo.*/\1/p' <<< "$report")
    score=$(sed -n 's/^Games: .*Points: .*(\(.*\))$/\1/p' <<< "$report")
    games=$(sed -n 's/^Games: \([0-9]*\),.*/\1/p' <<< "$report")
    printf '| %s | %s | %s | %s | %s |\n' "$strong" "$weak" "$games" "$score" "$elo"
done
