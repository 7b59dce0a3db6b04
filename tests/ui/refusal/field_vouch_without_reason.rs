use guard_core::no_retain;

struct Foreign;

#[no_retain]
struct Logger {
    #[vouch]
    sink: Foreign,
    #[vouch(reason = "")]
    other: Foreign,
    #[vouch(because = "it holds text")]
    third: Foreign,
}

fn main() {}
