//! Everything that pages and explorer do, by keyboard alone: `keyboard.txt` lists keys and what they lead to. Keys are pressed, never
//! sent to an element, and wherever the focus goes on the way it must be seen.

use isaglot_testing::{Failed, Trial, peer};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::engine::{self, ENGINE};

/// Elements that have the focus before one is found, at most.
const MOST_STOPS: usize = 400;

const TAB: &str = "\u{E004}";
const SHIFT: &str = "\u{E008}";

/// Keys by their names.
const KEYS: [(&str, &str); 11] = [
    ("enter", "\u{E007}"),
    ("space", " "),
    ("slash", "/"),
    ("up", "\u{E013}"),
    ("down", "\u{E015}"),
    ("left", "\u{E012}"),
    ("right", "\u{E014}"),
    ("home", "\u{E011}"),
    ("end", "\u{E010}"),
    ("backspace", "\u{E003}"),
    ("escape", "\u{E00C}"),
];

/// What has the focus, if it cannot be seen.
const UNSEEN: &str = "(() => { const a = document.activeElement;
    if (!a || a === document.body) return null;
    const style = getComputedStyle(a), box = a.getBoundingClientRect();
    const seen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 && box.width > 0 && box.bottom > 0 && box.top < innerHeight;
    return seen ? null : a.outerHTML.slice(0, 200); })()";

pub(crate) fn trials() -> Vec<Trial> {
    vec![peer::trial("peer_keyboard_alone", &[ENGINE, peer::CHROMIUM], walk)]
}

fn walk() -> Result<(), Failed> {
    let Some(case) = engine::case("rv64gc")? else { return Ok(()) };
    let dir = engine::folder(&case)?;
    let mut page = Browser::open("about:blank")?;
    let asks = json!({ "cmd": "Page.setInterceptFileChooserDialog", "params": { "enabled": true } });
    page.command("/goog/cdp/execute", &asks)?;
    for (number, line) in include_str!("keyboard.txt").lines().enumerate() {
        let Some((verb, rest)) = line.split_once(' ').or((line == "chooser").then_some((line, ""))) else { continue };
        let done = match verb {
            "#" | "##" => Ok(()),
            "open" => {
                page.go("about:blank")?;
                page.go(&format!("file://{}/{rest}", dir.path().display()))
            }
            "type" => page.press(rest),
            "press" => press(&mut page, rest),
            "tab" => stop(&mut page, rest, false),
            "back" => stop(&mut page, rest, true),
            "wait" => match rest.rsplit_once(" ==> ") {
                Some((expression, wanted)) => page.wait(expression, serde_json::from_str::<Value>(wanted)?),
                None => Err("expected ` ==> `".into()),
            },
            "chooser" => page.has_event("Page.fileChooserOpened"),
            _ => Err("unknown verb".into()),
        };
        done.map_err(|e| format!("keyboard.txt:{}: {line}: {e:?}", number + 1))?;
    }
    page.is_quiet()
}

fn press(page: &mut Browser, names: &str) -> Result<(), Failed> {
    for name in names.split(' ') {
        let (name, count) = name.split_once('*').unwrap_or((name, "1"));
        let (_, key) = KEYS.iter().find(|(known, _)| *known == name).ok_or_else(|| format!("unknown key {name}"))?;
        for _ in 0..count.parse()? {
            page.press(key)?;
        }
    }
    Ok(())
}

/// Goes from one element to the next until one that matches has the focus.
fn stop(page: &mut Browser, selector: &str, back: bool) -> Result<(), Failed> {
    let reached = format!("document.activeElement.matches({})", Value::from(selector));
    for _ in 0..MOST_STOPS {
        if back {
            page.press_with(SHIFT, TAB)?
        } else {
            page.press(TAB)?
        }
        let unseen = page.value(UNSEEN)?;
        if let Some(element) = unseen.as_str() {
            return Err(format!("one does not see that this has the focus: {element}").into());
        }
        if page.value(&reached)? == true {
            return Ok(());
        }
    }
    Err("not reached".into())
}
