//! Hextile: what nobody makes is refused. What servers make is painted in `tests/vnc/encodings.rs`.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::pixels::SharedPicture;
use super::super::updates::Updates;
use super::{head, run};

fn said(bytes: &[u8]) -> String {
    let bytes = [head(20, 16, 5), bytes.to_vec()].concat();
    let shared = Arc::new(SharedPicture::new((20, 16)));
    run(Updates::new(bytes.as_slice(), shared).next()).unwrap_err().to_string()
}

#[test]
fn tiles_of_no_kind_are_refused() {
    assert!(said(&[32]).contains("Hextile flags 32"));
    assert!(said(&[0]).contains("that had none"));
    assert!(said(&[2 | 8, 1, 1, 1, 0, 1, 0, 0]).contains("that had none"));
    // The second tile has four columns.
    let second = |xy: u8, wh: u8| said(&[2, 1, 1, 1, 0, 4 | 8, 2, 2, 2, 0, 1, xy, wh]);
    assert!(second(0x40, 0).contains("leaves its tile"));
    assert!(second(0x30, 0x10).contains("leaves its tile"));
    assert!(second(0x0f, 0x01).contains("leaves its tile"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_of_tiles_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..3_000), kinds in proptest::collection::vec(0_u8..32, 1..9), w in 0_u16..130, h in 0_u16..70) {
        let bytes = [head(w, h, 5), kinds, bytes].concat();
        let _ = run(Updates::new(bytes.as_slice(), Arc::new(SharedPicture::new((130, 70)))).next());
    }
}
