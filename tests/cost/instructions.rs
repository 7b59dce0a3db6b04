//! What the attribute costs at run time: the same program with and without it, its assembly and its instructions.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// What was found for one program.
pub struct Report {
    /// Lines of assembly, hashes of the crate aside, that only one of both versions has.
    pub different_lines: usize,
    /// Instructions executed inside of `measured`, in each run: plain, plain once more, annotated.
    pub instructions: [u64; 3],
}

/// Builds `example` twice, compares the assembly, and counts instructions with valgrind.
///
/// # Errors
/// A program that cannot be built or run; a missing valgrind.
pub fn measure(workspace: &Path, example: &str) -> io::Result<Report> {
    let valgrind = Command::new("valgrind").arg("--version").output();
    if !valgrind.is_ok_and(|output| output.status.success()) {
        let missing = "valgrind is missing: install it (Debian: apt-get install valgrind)";
        return Err(io::Error::new(io::ErrorKind::NotFound, missing));
    }
    let annotated = Build::new(workspace, example, "annotated", &[])?;
    let plain = Build::new(workspace, example, "plain", &["--cfg", "plain"])?;
    let instructions = [plain.instructions()?, plain.instructions()?, annotated.instructions()?];
    Ok(Report { different_lines: different(&plain.assembly()?, &annotated.assembly()?), instructions })
}

/// One version of a program.
struct Build {
    folder: PathBuf,
    example: String,
}

impl Build {
    fn new(workspace: &Path, example: &str, version: &str, flags: &[&str]) -> io::Result<Self> {
        let build =
            Self { folder: workspace.join("target/cost/run").join(version), example: example.to_owned() };
        fs::create_dir_all(&build.folder)?;
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["rustc", "--quiet", "--release", "--locked", "-p", "guard-tests", "--example", example]);
        // Debug information names the lines of the attributes.
        cargo.args(["--", "-C", "debuginfo=0", "--emit"]);
        cargo.arg(format!("asm={}", build.assembly_path().display())).args(flags).current_dir(workspace);
        run(cargo.env("CARGO_TARGET_DIR", workspace.join("target")))?;
        let program = workspace.join("target/release/examples").join(example);
        fs::copy(program, build.folder.join(example))?;
        Ok(build)
    }

    fn assembly_path(&self) -> PathBuf {
        self.folder.join(format!("{}.s", self.example))
    }

    /// The assembly without the hashes that cargo derives from the compiler's flags.
    fn assembly(&self) -> io::Result<Vec<String>> {
        let text = fs::read_to_string(self.assembly_path())?;
        Ok(text.lines().map(|line| without_hash(&without_hash(line, "17h", 16), "anon.", 32)).collect())
    }

    fn instructions(&self) -> io::Result<u64> {
        let out = self.folder.join("callgrind.out");
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--tool=callgrind", "--toggle-collect=measured"]);
        valgrind.arg(format!("--callgrind-out-file={}", out.display()));
        // The same path for both versions, symbols found before the start, and one thread: the length of a path moves
        // the stack, a lookup of a symbol is not the loop's, and how threads share work depends on the clock.
        let same = self.folder.with_file_name("program");
        fs::copy(self.folder.join(&self.example), &same)?;
        valgrind.arg(&same).envs([("OMP_NUM_THREADS", "1"), ("MKL_NUM_THREADS", "1"), ("LD_BIND_NOW", "1")]);
        run(&mut valgrind)?;
        let text = fs::read_to_string(&out)?;
        let totals = text.lines().find_map(|line| line.strip_prefix("totals:")?.trim().parse().ok());
        totals.filter(|&count| count > 0).ok_or_else(|| io::Error::other("valgrind counted nothing"))
    }
}

fn run(command: &mut Command) -> io::Result<Output> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("{command:?}: {}\n{said}", output.status)))
}

/// `line` without the `digits` hexadecimal digits after each `mark`.
fn without_hash(line: &str, mark: &str, digits: usize) -> String {
    let mut parts = line.split(mark);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let hash = part.bytes().take(digits).filter(u8::is_ascii_hexdigit).count();
        text.push_str(mark);
        text.push_str(if hash == digits { &part[digits..] } else { part });
    }
    text
}

/// How many lines differ, place by place.
fn different(left: &[String], right: &[String]) -> usize {
    let pairs = left.iter().zip(right).filter(|(left, right)| left != right).count();
    pairs + left.len().abs_diff(right.len())
}
