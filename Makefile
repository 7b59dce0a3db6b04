# make train   set-up and the main job: a trained detector in runs/shapes
# make test    set-up and everything that CI runs
# make bench   times of the training step, the evaluation pass and their memory, one JSON object a line
# make demo    the leak and its cure, side by side
# make cost    what the attribute costs: instructions (needs valgrind) and compile time
# make bless   rewrite the expected compiler errors (read the diff before committing)

.PHONY: setup train bench demo test cost bless clean
.DEFAULT_GOAL := help

help:
	@sed -n 's/^# //p' Makefile

setup:
	@command -v cargo >/dev/null || { echo "cargo is missing: install Rust, https://rustup.rs"; exit 1; }
	@command -v python3 >/dev/null || { echo "python3 is missing: install Python 3 with pip"; exit 1; }
	@command -v "$${CXX:-c++}" >/dev/null || { echo "a C++ compiler is missing: install one (Debian: apt-get install g++)"; exit 1; }
	@python3 scripts/setup_libtorch.py

train: setup
	cargo run --release --locked -p trainer -- train

bench: setup
	cargo build --release --locked -p trainer
	@target/release/trainer bench step --size 320 --batch 2
	@target/release/trainer bench step --size 640 --batch 2
	@target/release/trainer bench forward --size 640

demo: setup
	cargo run --release --locked -p trainer -- leak-demo

test: setup
	@cargo fmt --version >/dev/null 2>&1 || { echo "rustfmt is missing: rustup component add rustfmt"; exit 1; }
	@cargo clippy --version >/dev/null 2>&1 || { echo "clippy is missing: rustup component add clippy"; exit 1; }
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
	cargo test --workspace --all-features --locked
	cargo test --profile proof --locked -p guard-macros --lib -- --ignored
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features --locked

cost: setup
	cargo bench --locked -p guard-tests --bench cost

bless: setup
	TRYBUILD=overwrite cargo test --locked -p guard-tests

clean:
	cargo clean
