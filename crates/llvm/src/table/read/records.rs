//! What records say instead of the table: texts by value that are records, and forms of an instruction that are.

use super::meaning::template;
use crate::table::tokens::{Result, Token, Tokens};
use crate::table::{Each, RecordTable};

/// `name = CLASS value FIELD text FIELD [also FIELD]… [prefix TEXT] [lower] [when FEATURE] [needs FIELD [or FEATURE]] [without FIELD FEATURE] [where FIELD = N]… [else TEXT]`
pub(super) fn record_table(t: &mut Tokens<'_>) -> Result<(String, RecordTable)> {
    const CLAUSES: &str = "`value`, `text`, `also`, `prefix`, `lower`, `when`, `needs`, `without`, `where` or `else`";
    let name = t.word("a name")?;
    t.need('=')?;
    let class = t.word("a class")?;
    let mut entry = RecordTable {
        class,
        value: String::new(),
        text: String::new(),
        also: Vec::new(),
        lower: false,
        only: Vec::new(),
        needs: None,
        or: None,
        other: None,
        without: None,
        prefix: String::new(),
        when: None,
        span: t.whole(),
    };
    while !t.done() {
        match t.word(CLAUSES)?.as_str() {
            "value" => entry.value = t.word("a field")?,
            "text" => entry.text = t.word("a field")?,
            "also" => entry.also.push(t.word("a field")?),
            "lower" => entry.lower = true,
            "needs" => (entry.needs, entry.or) = needs(t)?,
            "where" => entry.only.push(setting(t, "a field")?),
            "else" => entry.other = Some(template(t)?),
            "prefix" => entry.prefix = t.text("a text")?,
            "when" => entry.when = Some(t.word("a feature")?),
            "without" => entry.without = Some((t.word("a field")?, t.word("a feature")?)),
            _ => return Err(t.wanted(&format!("{CLAUSES} before this"))),
        }
    }
    Ok((name, entry))
}

/// `FIELD [or FEATURE]` after `needs`.
fn needs(t: &mut Tokens<'_>) -> Result<(Option<String>, Option<String>)> {
    let field = t.word("a field")?;
    let or = if t.keyword("or") { Some(t.word("a feature")?) } else { None };
    Ok((Some(field), or))
}

/// `NAME = N`
pub(super) fn setting(t: &mut Tokens<'_>, what: &str) -> Result<(String, i64)> {
    let name = t.operand(what)?;
    t.need('=')?;
    Ok((name, t.number("a number")?))
}

/// `each CLASS FIELD[,FIELD]… = FIELD [with FIELD = N]… [where FIELD = N]… [needs FIELD [or FEATURE]] TEXT [unread]`
pub(super) fn each(t: &mut Tokens<'_>) -> Result<Each> {
    let class = t.word("a class")?;
    let mut fields = vec![t.operand("a field of the instruction")?];
    while t.mark(',') {
        fields.push(t.operand("a further field")?);
    }
    t.need('=')?;
    let value = t.word("a field of the records")?;
    let (mut with, mut only) = (Vec::new(), Vec::new());
    let (mut needed, mut or) = (None, None);
    while !matches!(t.peek(), Some(Token::Text(_)) | None) {
        match t.word("`with`, `where`, `needs` or a text")?.as_str() {
            "with" => with.push(setting(t, "a field of the instruction")?),
            "where" => {
                only.push(setting(t, "a field of the records")?);
                t.named.pop();
            }
            "needs" => (needed, or) = needs(t)?,
            _ => return Err(t.wanted("`with`, `where`, `needs` or a text before this")),
        }
    }
    let text = t.asm_string()?;
    let printed_only = t.keyword("unread");
    Ok(Each { class, fields, value, with, only, needs: needed, or, text, printed_only })
}
