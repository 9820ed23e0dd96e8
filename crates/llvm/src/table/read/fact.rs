//! What is to be known about single instructions, and about all of a class.

use super::meaning::{condition, feature};
use super::records::{each, setting};
use crate::limits::MAX_INST_BITS;
use crate::table::tokens::{Result, Token, Tokens};
use crate::table::{AliasWhen, InstFact};

/// `constant NAME = N`, `copy NAME = NAME`, `aliases none`, `operand NAME = RECORD`, `decode NAME = METHOD`, `operands METHOD [BITS], …`, `namespace NAME`, `unread MNEMONIC`, `reject NAME == NAME`, `reject NAME SET [if FEATURE | unless FEATURE]`, `reject if FORMULA`, `alias NAME = N … if FORMULA … ASMSTRING`, `input …`, `own if FORMULA ASMSTRING`, `opens FORMULA`,
/// `print NAME = METHOD`, `jump NAME = N`, `word [BITS] = N [where NAME = N]`, `text TEXT = TEXT`, `rank N`, `width N`, `bits NAME [BITS]`
pub(super) fn fact(t: &mut Tokens<'_>) -> Result<InstFact> {
    const FACTS: &str = "`constant`, `copy`, `operand`, `operands`, `decode`, `namespace`, `reject`, `alias`, `aliases`, `input`, `unread`, `own`, `opens`, `long`, `each`, `only`, `print`, `jump`, `word`, `write`, `text`, `rank`, `width` or `bits`";
    let fact = match t.word(FACTS)?.as_str() {
        "constant" => {
            let (name, value) = setting(t, "an operand")?;
            InstFact::Constant(name, value)
        }
        "aliases" => {
            if !t.keyword("none") {
                return Err(t.wanted("`none`"));
            }
            InstFact::NoAliases
        }
        "copy" => {
            let name = t.operand("an operand")?;
            t.need('=')?;
            InstFact::Copy(name, t.operand("a field")?)
        }
        "each" => InstFact::Each(each(t)?),
        "only" => {
            if !t.keyword("each") {
                return Err(t.wanted("`each`"));
            }
            InstFact::OnlyEach
        }
        "reject" if t.keyword("if") => {
            let formula = condition(t)?;
            InstFact::RejectIf(formula, t.whole())
        }
        "reject" => {
            let name = t.operand("an operand")?;
            if t.mark('=') {
                t.need('=')?;
                InstFact::RejectEqual(name, t.operand("an operand")?)
            } else {
                let set = t.set()?;
                let on = t.keyword("if");
                if on || t.keyword("unless") {
                    InstFact::RejectWhere(name, set, (feature(t)?, on))
                } else {
                    InstFact::Reject(name, set)
                }
            }
        }
        "operand" => {
            let name = t.operand("an operand")?;
            t.need('=')?;
            InstFact::Operand(name, t.word("the record of an operand")?)
        }
        "operands" => {
            let mut list = Vec::new();
            loop {
                let method = t.word("a decoder")?;
                list.push((method, t.bits()?));
                if !t.mark(',') {
                    break InstFact::Operands(list, t.whole());
                }
            }
        }
        "decode" => {
            let name = t.operand("an operand")?;
            t.need('=')?;
            InstFact::Decode(name, t.word("a decoder")?)
        }
        "unread" => InstFact::UnreadText(t.text("a mnemonic")?),
        "namespace" => InstFact::Namespace(t.word("a decoder namespace")?),
        kind @ ("alias" | "input") => {
            let mut when = AliasWhen::default();
            while !matches!(t.peek(), Some(Token::Text(_)) | None) {
                if t.keyword("if") {
                    when.formulas.push(condition(t)?);
                    continue;
                }
                when.values.push(setting(t, "an operand")?);
            }
            let text = t.asm_string()?;
            if kind == "alias" { InstFact::Alias(when, text) } else { InstFact::Input(when, text) }
        }
        "opens" => InstFact::Opens(condition(t)?, t.whole()),
        "own" => {
            if !t.keyword("if") {
                return Err(t.wanted("`if`"));
            }
            let formula = condition(t)?;
            InstFact::Own(formula, t.asm_string()?)
        }
        "long" => {
            if !t.keyword("if") {
                return Err(t.wanted("`if`"));
            }
            InstFact::Long(condition(t)?)
        }
        "print" => {
            let name = t.operand("an operand")?;
            t.need('=')?;
            InstFact::Print(name, t.word("a print method")?)
        }
        "jump" => {
            let name = t.operand("a field")?;
            t.need('=')?;
            InstFact::Jump(Some((name, t.number("a number")? as u64)))
        }
        "word" => {
            let bits = t.bits()?;
            t.need('=')?;
            let value = t.number("a number")? as u64;
            let field = if t.keyword("where") {
                let name = t.operand("a field")?;
                t.need('=')?;
                Some((name, t.number("a number")? as u64))
            } else {
                None
            };
            match field {
                Some(field) if t.keyword("also") => InstFact::Also(bits, value, field),
                field => InstFact::Word(bits, value, field),
            }
        }
        "write" => {
            let bits = t.bits()?;
            t.need('=')?;
            InstFact::Write(bits, t.number("a number")? as u64)
        }
        "text" => {
            let from = t.text("a part of the record's text")?;
            t.need('=')?;
            InstFact::Rewrite(from, t.asm_string()?)
        }
        "rank" => InstFact::Rank(t.count("a number", u32::MAX)?),
        "width" => InstFact::Width(t.count("a number of bits", MAX_INST_BITS)?),
        "bits" => {
            let name = t.word("a field")?;
            InstFact::Bits(name, t.bits()?)
        }
        _ => {
            t.at = 0;
            return Err(t.wanted(FACTS));
        }
    };
    t.end()?;
    Ok(fact)
}
