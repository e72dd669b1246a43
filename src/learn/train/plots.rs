//! Pictures of a training, as SVG.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::held_out::Decile;
use super::model::Losses;
use super::report::Point;

/// Why a picture could not be drawn.
type Fault = Box<dyn std::error::Error + Send + Sync>;

const TRAINED: RGBColor = RGBColor(0x9a, 0x9a, 0x9a);
const HELD_OUT: RGBColor = RGBColor(0x1f, 0x5f, 0xa8);

type Panel<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The losses over the steps: value on the left, policy on the right.
pub fn losses(points: &[Point]) -> Result<String, Fault> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (1000, 400)).into_drawing_area();
        area.fill(&WHITE)?;
        let panels = area.split_evenly((1, 2));
        let [left, right] = panels.as_slice() else { return Ok(String::new()) };
        panel(left, "value", points, |losses| losses.value)?;
        panel(right, "policy", points, |losses| losses.policy)?;
        area.present()?;
    }
    Ok(text)
}

fn panel(
    area: &Panel<'_>,
    name: &str,
    points: &[Point],
    loss: fn(&Losses) -> f64,
) -> Result<(), Fault> {
    let last = points.last().map_or(1, |point| point.step).max(1);
    let all = points.iter().flat_map(|point| [loss(&point.trained), loss(&point.held_out)]);
    let mut chart = ChartBuilder::on(area)
        .margin(15)
        .caption(format!("cross-entropy of the {name}"), ("sans-serif", 16))
        .x_label_area_size(40)
        .y_label_area_size(55)
        .build_cartesian_2d(0..last, span(all))?;
    chart.configure_mesh().x_desc("steps").x_labels(6).light_line_style(WHITE).draw()?;
    let trained = points.iter().map(|point| (point.step, loss(&point.trained)));
    let held_out = points.iter().map(|point| (point.step, loss(&point.held_out)));
    let line = |colour: RGBColor| {
        move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], colour.stroke_width(2))
    };
    chart
        .draw_series(LineSeries::new(trained, TRAINED.stroke_width(2)))?
        .label("trained on")
        .legend(line(TRAINED));
    chart
        .draw_series(LineSeries::new(held_out, HELD_OUT.stroke_width(2)))?
        .label("held out")
        .legend(line(HELD_OUT));
    chart.configure_series_labels().background_style(WHITE).border_style(TRAINED).draw()?;
    Ok(())
}

/// The least and the greatest of these numbers with some room around them.
fn span(numbers: impl Iterator<Item = f64>) -> Range<f64> {
    let (least, most) = numbers
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), n| (least.min(n), most.max(n)));
    if least > most {
        return 0.0..1.0;
    }
    let room = ((most - least) * 0.05).max(1e-3);
    least - room..most + room
}

/// Observed frequencies over predicted win probabilities, with the number of records of each tenth.
pub fn calibration(deciles: &[Decile]) -> Result<String, Fault> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (560, 560)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(15)
            .caption("calibration on games held out", ("sans-serif", 16))
            .x_label_area_size(40)
            .y_label_area_size(55)
            .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
        chart
            .configure_mesh()
            .x_desc("predicted win probability")
            .y_desc("observed frequency")
            .light_line_style(WHITE)
            .draw()?;
        chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], TRAINED))?;
        let seen = || deciles.iter().filter(|decile| decile.records > 0);
        let points = seen().map(|decile| (decile.predicted, decile.observed));
        chart.draw_series(LineSeries::new(points.clone(), HELD_OUT.stroke_width(2)))?;
        chart.draw_series(points.map(|point| Circle::new(point, 4, HELD_OUT.filled())))?;
        chart.draw_series(seen().map(|decile| {
            let place = (decile.predicted + 0.02, decile.observed - 0.01);
            Text::new(decile.records.to_string(), place, ("sans-serif", 12))
        }))?;
        area.present()?;
    }
    Ok(text)
}
