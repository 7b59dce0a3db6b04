//! The command line of the trainer.

mod commands;

use clap::Parser;

fn main() -> std::process::ExitCode {
    match commands::Cli::parse().run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {}", message(&error));
            std::process::ExitCode::FAILURE
        }
    }
}

/// The error and its causes, without those that the text before already quotes.
fn message(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        before if before.contains(cause.trim()) => text,
        _ => format!("{text}: {cause}"),
    })
}
