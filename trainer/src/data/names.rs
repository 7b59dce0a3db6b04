//! Names of data sets, and of images as annotation files write them.

use std::path::{Component, Path, PathBuf};

/// Whether a name stays in the folder it is relative to.
pub(super) fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components().peekable();
    parts.peek().is_some()
        && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        && !is_windows_absolute(name)
        && !name.contains('\0')
}

/// `C:\…`, `\\server\…` or a step upwards written with backslashes: none of them is a folder of the data set.
fn is_windows_absolute(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':') && name.as_bytes()[0].is_ascii_alphabetic();
    drive || name.starts_with('\\') || name.split('\\').any(|part| part == "..")
}

/// The path of the image `name` in `folder`; backslashes separate folders where no such file is there.
pub(super) fn image_path(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    if name.contains('\\') && !path.is_file() { folder.join(name.replace('\\', "/")) } else { path }
}

/// What a data set is called: its folder, also where one of its files was named.
pub(super) fn folder_name(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.into());
    let folder = if path.is_file() { path.parent() } else { Some(path.as_path()) };
    let folder = folder.map(|folder| match folder.parent() {
        Some(above) if folder.ends_with("annotations") => above,
        _ => folder,
    });
    let name = folder.and_then(Path::file_name).unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_names_that_leave_the_folder() {
        for name in ["a.jpg", "train/a.jpg", "./a.jpg", "a..b.jpg", "x\\a.jpg", "ä b.jpg"] {
            assert!(is_plain(name), "{name}");
        }
        let bad = [
            "",
            "/a.jpg",
            "../a.jpg",
            "x/../../a.jpg",
            "C:\\a.jpg",
            "c:a.jpg",
            "\\\\s\\a.jpg",
            "x\\..\\a",
            "a\0b",
        ];
        for name in bad {
            assert!(!is_plain(name), "{name}");
        }
    }
}
