//! Web pages in one file: scripts, styles and data are in the page, and it loads nothing.
//!
//! No text of the data becomes HTML or script. The data is a block of JSON in which no character
//! can end the block, and the page's scripts show it as text. The content security policy forbids
//! every request, and every script but those that are put in here: they carry a nonce that depends
//! on all data, so that text in the data cannot contain it.

use droste_native::hash::blake3::Blake3;
use serde::Serialize;

const TEMPLATE: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/page.css");
const COMMON: &str = include_str!("../assets/common.js");

/// What a page consists of, apart from what all pages share.
pub struct Page<'a> {
    /// Its title.
    pub title: &'static str,
    /// Its scripts, in order.
    pub scripts: &'a [&'static str],
    /// Licences of scripts that are not Droste's.
    pub licences: &'static str,
}

impl Page<'_> {
    /// The page, which shows `data`.
    pub fn with(&self, data: &impl Serialize) -> Result<String, serde_json::Error> {
        let data = json(data)?;
        let digest = Blake3.hash(data.as_bytes());
        let nonce: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let scripts: String = [COMMON]
            .iter()
            .chain(self.scripts)
            .map(|script| format!("<script nonce=\"{nonce}\">\n{script}</script>\n"))
            .collect();
        let values = [
            ("TITLE", self.title),
            ("NONCE", &nonce),
            // Of scripts, other than those with the nonce: none. `web/` has the template, too.
            ("SOURCES", ""),
            ("STYLE", STYLE),
            ("LICENCES", self.licences),
            ("DATA", &data),
            ("SCRIPTS", &scripts),
        ];
        Ok(fill(TEMPLATE, &values))
    }
}

/// `data` as JSON that can stand inside a `<script>` of a page: no `<` begins a tag that could end
/// the script, or a comment, and nothing in it is taken for an entity.
fn json(data: &impl Serialize) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(data)?;
    Ok(text
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029"))
}

/// Puts values at their marks, `{{NAME}}`, in one pass: marks inside a value are left alone.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, mark)) = rest.split_once("{{") {
        text.push_str(before);
        let (name, after) = mark.split_once("}}").unwrap_or((mark, ""));
        let value = values.iter().find(|(known, _)| *known == name);
        text.push_str(value.map_or("", |(_, value)| value));
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Page<'static> = Page {
        title: "A page",
        scripts: &["show(data);\n"],
        licences: "",
    };

    fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
        text.split_once(from).unwrap().1.split_once(to).unwrap().0
    }

    #[test]
    fn data_is_what_it_was_and_ends_nothing() {
        let hostile =
            "</script><script>alert(1)</script><!-- {{SCRIPTS}} ]]> &lt; \u{2028} \" ' \\";
        let page = PAGE.with(&[hostile]).unwrap();
        let data = between(&page, "id=\"data\">", "</script>");
        assert_eq!(
            serde_json::from_str::<[String; 1]>(data).unwrap(),
            [hostile]
        );
        assert!(!page.contains("alert(1)</script>"));
        // Of scripts there are the data, the common one and the one of this page.
        assert_eq!(page.matches("<script").count(), 3);
        assert_eq!(page.matches("</script>").count(), 3);
    }

    #[test]
    fn only_the_scripts_of_the_page_may_run_and_nothing_may_be_loaded() {
        let page = PAGE.with(&["a"]).unwrap();
        let policy = between(
            &page,
            "http-equiv=\"Content-Security-Policy\" content=\"",
            "\"",
        );
        let nonce = between(policy, "'nonce-", "'");
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        assert_eq!(nonce.len(), 64);
        assert_eq!(
            page.matches(&format!("<script nonce=\"{nonce}\">")).count(),
            2
        );
        // Other data, another nonce.
        assert!(!PAGE.with(&["b"]).unwrap().contains(nonce));
        for remote in ["src=\"", "href=\"http", "@import", "url(http"] {
            assert!(!page.contains(remote), "{remote}");
        }
    }
}
