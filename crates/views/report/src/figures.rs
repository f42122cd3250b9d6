//! The figures of a page as JSON that can be read without the page: names instead of numbers, columns as arrays.

use std::io::{self, Read};

use base64::engine::general_purpose::STANDARD;
use base64::read::DecoderReader;
use flate2::read::GzDecoder;
use serde_json::{Map, Value};

/// Fields of the data that are figures of the run as they are.
const COPIED: [&str; 7] = ["run", "outcome", "time", "efficiency", "findings", "blocked", "warnings"];
/// Tables of waits whose columns `function` and `site` are numbers, and the prefixes of these columns.
const PLACED: [(&str, &[&str]); 3] = [("calls", &[""]), ("lines", &["", "cause_"]), ("causes", &[""])];

/// The figures in the data of a page ([`crate::data_of`]).
pub fn figures_of(data: &str) -> io::Result<Value> {
    let bytes = decoded(data)?;
    let broken = || io::Error::new(io::ErrorKind::InvalidData, "the data of the report is cut off");
    let length = bytes.first_chunk().map(|length| u32::from_le_bytes(*length) as usize).ok_or_else(broken)?;
    let json = bytes.get(4..4 + length).ok_or_else(broken)?;
    let mut fields: Map<String, Value> = serde_json::from_slice(json)?;
    let columns = bytes.get((4 + length).next_multiple_of(8)..).unwrap_or_default();
    let waits = fields.remove("waits").map(|waits| named_waits(waits, &fields, columns));
    let mut figures: Map<String, Value> =
        COPIED.iter().filter_map(|&name| Some((name.to_owned(), fields.remove(name)?))).collect();
    figures.extend(waits.map(|waits| ("waits".to_owned(), waits)));
    if let Some(Value::Object(mut critical)) = fields.remove("critical") {
        critical.remove("kinds");
        figures.insert("critical".to_owned(), critical.into());
    }
    Ok(figures.into())
}

fn decoded(data: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(DecoderReader::new(data.trim().as_bytes(), &STANDARD)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The wait states with names of functions and sites, and those of each rank.
fn named_waits(mut waits: Value, fields: &Map<String, Value>, columns: &[u8]) -> Value {
    for (table, prefixes) in PLACED {
        for prefix in prefixes {
            for (column, names) in [("function", "functions"), ("site", "sites")] {
                name_column(&mut waits[table][format!("{prefix}{column}")], &fields[names]);
            }
        }
    }
    waits["ranks"] = by_rank(&waits["states"], &fields["sections"]["waits_rank"], columns);
    if let Value::Object(fields) = &mut waits {
        fields.remove("matrix");
        fields.remove("states");
    }
    waits
}

fn name_column(column: &mut Value, names: &Value) {
    for number in column.as_array_mut().into_iter().flatten() {
        *number = number.as_u64().map_or(Value::Null, |at| names[at as usize].clone());
    }
}

/// Seconds of each rank, by state.
fn by_rank(states: &Value, place: &Value, columns: &[u8]) -> Value {
    let [offset, length] = ["offset", "bytes"].map(|field| place[field].as_u64().unwrap_or(0) as usize);
    let numbers = columns.get(offset..offset + length).unwrap_or_default().as_chunks().0;
    let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let states: Vec<&str> = states.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let ranks = (numbers.len() / states.len().max(1)).max(1);
    let named = states.into_iter().zip(numbers.chunks(ranks));
    named.map(|(state, seconds)| (state.to_owned(), Value::from(seconds))).collect::<Map<_, _>>().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Container;

    #[test]
    fn numbers_become_names() {
        let mut page = Container::default();
        page.set("functions", ["MPI_Send", "MPI_Recv"]);
        page.set("sites", ["", "a.c:3"]);
        page.set("time", json!({"wait": 1.5}));
        page.set("messages", ());
        let table = json!({"function": [1, null], "site": [1, 0], "seconds": [2.0, 1.0]});
        page.set(
            "waits",
            json!({"states": ["late_sender", "transfer"], "calls": table, "matrix": {"cells": 2}}),
        );
        page.section::<f64>("waits_rank", [1.0, 2.0, 3.0, 4.0]);
        let figures = figures_of(&page.embedded().unwrap()).unwrap();
        let calls = &figures["waits"]["calls"];
        assert_eq!((&calls["function"], &calls["site"]), (&json!(["MPI_Recv", null]), &json!(["a.c:3", ""])));
        assert_eq!(figures["waits"]["ranks"], json!({"late_sender": [1.0, 2.0], "transfer": [3.0, 4.0]}));
        assert_eq!((&figures["time"]["wait"], figures.get("messages")), (&json!(1.5), None));
        assert!(figures_of("H4sI").is_err());
    }
}
