//! Field elements on the command line: comma-separated canonical integers.

use droste_native::F;
use p3_field::{PrimeField32, integers::QuotientMap};

use crate::error::CommandError;

/// Reads `5,8`; an empty string is the empty list.
pub fn field_list(list: &str) -> Result<Vec<F>, CommandError> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    list.split(',').map(field_element).collect()
}

fn field_element(text: &str) -> Result<F, CommandError> {
    let text = text.trim();
    let element = text.parse::<u32>().ok();
    element.and_then(F::from_canonical_checked).ok_or_else(|| {
        let last = F::ORDER_U32 - 1;
        let expected = format!("expected an integer from 0 to {last}");
        CommandError::usage(format!("`{text}` is not a field element: {expected}"))
    })
}

#[cfg(test)]
mod tests {
    use droste_native::F;
    use p3_field::{PrimeCharacteristicRing, PrimeField32};

    use super::field_list;

    #[test]
    fn canonical_integers_only() {
        let read = |list: &str| field_list(list).ok();
        assert_eq!(read(""), Some(vec![]));
        assert_eq!(read("5, 8"), Some(vec![F::from_u32(5), F::from_u32(8)]));
        let largest = F::ORDER_U32 - 1;
        assert_eq!(read(&largest.to_string()), Some(vec![-F::ONE]));
        for bad in ["x", "1,", "-1", "4294967296", &F::ORDER_U32.to_string()] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
