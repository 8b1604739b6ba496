//! XPath 1.0 and CSS selectors over XML, as far as task files use them.
//!
//! What is written in a task file and not understood here is an error that quotes it, never an empty
//! result.

mod css;
mod lex;
mod xpath;
mod xpath_parse;

pub(crate) use css::select_css;
pub(crate) use xpath::select_xpath;

pub(crate) type Prefix<'a> = (&'a str, &'a str);

/// The beginning of a selector, for messages.
fn excerpt(text: &str) -> String {
    text.chars().take(200).collect()
}

/// The text of an element before its first child element, as `lxml` has it: nothing when it is empty.
pub(crate) fn own_text<'a>(node: roxmltree::Node<'a, '_>) -> Option<&'a str> {
    let first = node.first_child()?;
    first.is_text().then(|| first.text()).flatten().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str = r#"<desktop xmlns:st="urn:st" xmlns:cp="urn:cp">
      <application name="Google Chrome">
        <frame st:active="true"><entry name="Address and search bar" cp:size="(3, 4)">a.org/x</entry></frame>
        <push-button name="OK" st:enabled="false"/><push-button name="Cancel">c</push-button>
      </application>
      <application name="Other"><list><item>1</item><item>2</item><item>3</item></list></application>
    </desktop>"#;
    const SPACES: &[Prefix] = &[("st", "urn:st"), ("cp", "urn:cp")];

    fn xpath(path: &str) -> Vec<String> {
        let doc = roxmltree::Document::parse(XML).unwrap();
        let found = select_xpath(doc.root_element(), path, SPACES).unwrap();
        found.iter().map(|n| n.attribute("name").or(own_text(*n)).unwrap_or("-").to_owned()).collect()
    }

    fn css(selector: &str) -> Vec<String> {
        let doc = roxmltree::Document::parse(XML).unwrap();
        let found = select_css(doc.root_element(), selector, SPACES).unwrap();
        found.iter().map(|n| n.attribute("name").or(own_text(*n)).unwrap_or("-").to_owned()).collect()
    }

    #[test]
    fn paths_and_selectors_select_and_what_is_not_understood_is_said() {
        assert_eq!(xpath("//push-button"), ["OK", "Cancel"]);
        assert_eq!(xpath("/desktop/application[@name='Other']//item[2]"), ["2"]);
        assert_eq!(xpath("//item[last()]"), ["3"]);
        assert_eq!(xpath("//item[position() < 3 and not(. = '1')]"), ["2"]);
        assert_eq!(xpath("//*[@st:active='true']/entry"), ["Address and search bar"]);
        assert_eq!(
            xpath("//push-button[contains(@name, 'anc') or starts-with(@name, 'O')]"),
            ["OK", "Cancel"]
        );
        assert_eq!(xpath("application//entry[text()='a.org/x']"), ["Address and search bar"]);
        assert_eq!(xpath("//item[.='2']/following-sibling::item | //item[1]"), ["1", "3"]);
        assert_eq!(xpath("//item/ancestor::application"), ["Other"]);
        assert_eq!(xpath("//list[count(item) = 3]/.."), ["Other"]);
        assert_eq!(xpath("//application[.//item]"), ["Other"]);
        assert_eq!(xpath("//push-button[not(@st:enabled)]"), ["Cancel"]);
        assert!(xpath("//nothing").is_empty());
        assert_eq!(
            css("application[name=Google\\ Chrome] entry[name=Address\\ and\\ search\\ bar]").len(),
            1
        );
        assert_eq!(css("application>push-button[name=\"OK\"]"), ["OK"]);
        assert_eq!(css("push-button[st|enabled=false], item:nth-child(2)"), ["OK", "2"]);
        assert_eq!(css("push-button[name^=C], push-button[name$=K], *[name*=\"ancel\"]"), ["OK", "Cancel"]);
        assert_eq!(css("item + item"), ["2", "3"]);
        assert_eq!(css("item:first-child ~ item"), ["2", "3"]);
        let doc = roxmltree::Document::parse(XML).unwrap();
        for path in ["//a[", "//a[@b=]", "//x:y", "//a[id('b')]"] {
            assert!(select_xpath(doc.root_element(), path, SPACES).is_err(), "{path}");
        }
        for selector in ["a:hover", "a[", "x|y", ""] {
            assert!(select_css(doc.root_element(), selector, SPACES).is_err(), "{selector}");
        }
    }
}
