//! What wasm-bindgen's command does for `scripts/wasm`, by the library that the command is made of,
//! which builds in a fraction of its time.
//!
//! Usage: `bindgen MODULE FOLDER`

use std::env::args;
use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = args().skip(1).collect();
    let [module, folder] = arguments.as_slice() else {
        return Err("usage: bindgen MODULE FOLDER".into());
    };
    Bindgen::new()
        .input_path(module)
        .web(true)?
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)?;
    Ok(())
}
