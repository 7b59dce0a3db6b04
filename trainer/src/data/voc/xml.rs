//! One Pascal VOC annotation file.

use std::path::Path;

use roxmltree::{Document, Node};

use crate::data::{DataError, text::read_text};

/// What an annotation file says.
pub(super) struct Annotation {
    pub(super) size: [u32; 2],
    pub(super) size_line: u32,
    pub(super) objects: Vec<Object>,
}

/// One `<object>`.
pub(super) struct Object {
    pub(super) name: String,
    pub(super) name_line: u32,
    pub(super) xyxy: [f64; 4],
    pub(super) box_line: u32,
    pub(super) difficult: bool,
}

/// The edges of a box, in the order of `xyxy`.
pub(super) const EDGES: [&str; 4] = ["<xmin>", "<ymin>", "<xmax>", "<ymax>"];

/// Reads and checks one file; an image without `<object>` has no objects.
pub(super) fn read(path: &Path) -> Result<Annotation, DataError> {
    let text = read_text(path)?;
    let document = Document::parse(&text)
        .map_err(|error| DataError::XmlSyntax { path: path.into(), reason: error.to_string() })?;
    let root = Element { path, node: document.root_element(), name: String::new() };
    let size = root.child("size")?;
    let sides = [size.child("width")?, size.child("height")?];
    let [width, height] = sides.map(|side| side.parse("a whole number of pixels"));
    let objects = root.node.children().filter(|node| node.has_tag_name("object"));
    Ok(Annotation {
        size: [width?, height?],
        size_line: size.line(),
        objects: objects.map(|node| object(&root, node)).collect::<Result<_, _>>()?,
    })
}

fn object(root: &Element<'_, '_>, node: Node<'_, '_>) -> Result<Object, DataError> {
    let object = Element { path: root.path, node, name: "<object>".into() };
    let name = object.child("name")?;
    let corners = object.child("bndbox")?;
    let mut xyxy = [0.0; 4];
    for (edge, field) in xyxy.iter_mut().zip(EDGES) {
        *edge = corners.child(field.trim_matches(['<', '>']))?.coordinate()?;
    }
    Ok(Object {
        name: name.filled("the name of a class")?.into(),
        name_line: name.line(),
        xyxy,
        box_line: corners.line(),
        difficult: object.difficult()?,
    })
}

/// An element with what a message about it needs.
struct Element<'a, 'input> {
    path: &'a Path,
    node: Node<'a, 'input>,
    /// Path from the root, such as `<object><bndbox>`.
    name: String,
}

impl<'a, 'input> Element<'a, 'input> {
    fn child(&self, tag: &str) -> Result<Element<'a, 'input>, DataError> {
        let name = format!("{}<{tag}>", self.name);
        match self.find(tag) {
            Some(node) => Ok(Element { path: self.path, node, name }),
            None => Err(self.fault(name, "missing".into(), "one such element")),
        }
    }

    fn find(&self, tag: &str) -> Option<Node<'a, 'input>> {
        self.node.children().find(|node| node.has_tag_name(tag))
    }

    fn text(&self) -> &'a str {
        self.node.text().unwrap_or_default().trim()
    }

    fn filled(&self, expected: &'static str) -> Result<&'a str, DataError> {
        let text = self.text();
        if text.is_empty() { Err(self.wrong(expected)) } else { Ok(text) }
    }

    fn parse<T: std::str::FromStr>(&self, expected: &'static str) -> Result<T, DataError> {
        self.text().parse().map_err(|_| self.wrong(expected))
    }

    fn coordinate(&self) -> Result<f64, DataError> {
        let expected = "a finite number of pixels";
        let edge: f64 = self.parse(expected)?;
        if edge.is_finite() { Ok(edge) } else { Err(self.wrong(expected)) }
    }

    /// The flag `<difficult>`, which may be left out.
    fn difficult(&self) -> Result<bool, DataError> {
        if self.find("difficult").is_none() {
            return Ok(false);
        }
        let flag = self.child("difficult")?;
        flag.parse::<u8>("0 or 1").map(|flag| flag != 0)
    }

    fn line(&self) -> u32 {
        self.node.document().text_pos_at(self.node.range().start).row
    }

    fn wrong(&self, expected: &'static str) -> DataError {
        let text = self.text();
        let found = if text.is_empty() { "empty".into() } else { format!("`{text}`") };
        self.fault(self.name.clone(), found, expected)
    }

    fn fault(&self, field: String, found: String, expected: &'static str) -> DataError {
        let (path, line) = (self.path.into(), self.line());
        DataError::Field { path, line, field, found, expected: expected.into() }
    }
}
