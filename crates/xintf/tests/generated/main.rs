//! Headers and skeletons through real compilers. Tests whose compiler is missing are reported as ignored.

#[path = "../common/mod.rs"]
mod common;
mod headers;
mod skeletons;

fn main() {
    isaglot_testing::suite::run(headers::trials().into_iter().chain(skeletons::trials()).collect());
}
