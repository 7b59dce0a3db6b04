//! The post-processor and the COCO evaluation against the official numbers.

mod coco;
#[path = "../loss_golden/fixture.rs"]
#[allow(dead_code)] // shared with the tests of the criterion
mod fixture;
mod postprocess;
