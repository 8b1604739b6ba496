//! Character references of HTML, put in as Python's `html.unescape` does; upstream asks it about what it found on a page.
//!
//! HTML knows 2,231 names; here are those of one ASCII sign and those of HTML 4. Invariant: where a text holds another name
//! that may be one, both readings are given, and whoever compares has to find the same in both.

/// Names of the signs from U+00A0 to U+00FF, in their order. They are known without a semicolon, too.
const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg \
    plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest \
    Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute \
    Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml \
    Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc \
    euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash \
    ugrave uacute ucirc uuml yacute thorn yuml";
/// Further names known without a semicolon, with their sign in hexadecimal.
const BARE: &str = "AMP=26 COPY=a9 GT=3e LT=3c QUOT=22 REG=ae amp=26 gt=3e lt=3c quot=22";
/// Names that want a semicolon, with their signs in hexadecimal.
const NAMED: &str = "AMP=26 DiacriticalGrave=60 GT=3e Hat=5e LT=3c NewLine=a QUOT=22 Tab=9 UnderBar=5f \
    VerticalLine=7c amp=26 apos=27 ast=2a bsol=5c colon=3a comma=2c commat=40 dollar=24 \
    equals=3d excl=21 grave=60 gt=3e lbrace=7b lbrack=5b lcub=7b lowbar=5f lpar=28 lsqb=5b \
    lt=3c midast=2a num=23 percnt=25 period=2e plus=2b quest=3f quot=22 rbrace=7d rbrack=5d \
    rcub=7d rpar=29 rsqb=5d semi=3b sol=2f verbar=7c vert=7c \
    Alpha=391 Beta=392 Chi=3a7 Dagger=2021 Delta=394 Epsilon=395 Eta=397 Gamma=393 Iota=399 \
    Kappa=39a Lambda=39b Mu=39c Nu=39d OElig=152 Omega=3a9 Omicron=39f Phi=3a6 Pi=3a0 \
    Prime=2033 Psi=3a8 Rho=3a1 Scaron=160 Sigma=3a3 Tau=3a4 Theta=398 Upsilon=3a5 Xi=39e \
    Yuml=178 Zeta=396 alefsym=2135 alpha=3b1 and=2227 ang=2220 asymp=2248 bdquo=201e beta=3b2 \
    bull=2022 cap=2229 chi=3c7 circ=2c6 clubs=2663 cong=2245 crarr=21b5 cup=222a dArr=21d3 \
    dagger=2020 darr=2193 delta=3b4 diams=2666 empty=2205 emsp=2003 ensp=2002 epsilon=3b5 \
    equiv=2261 eta=3b7 euro=20ac exist=2203 fnof=192 forall=2200 frasl=2044 gamma=3b3 ge=2265 \
    hArr=21d4 harr=2194 hearts=2665 hellip=2026 image=2111 infin=221e int=222b iota=3b9 \
    isin=2208 kappa=3ba lArr=21d0 lambda=3bb lang=2329 larr=2190 lceil=2308 ldquo=201c le=2264 \
    lfloor=230a lowast=2217 loz=25ca lrm=200e lsaquo=2039 lsquo=2018 mdash=2014 minus=2212 \
    mu=3bc nabla=2207 ndash=2013 ne=2260 ni=220b notin=2209 nsub=2284 nu=3bd oelig=153 \
    oline=203e omega=3c9 omicron=3bf oplus=2295 or=2228 otimes=2297 part=2202 permil=2030 \
    perp=22a5 phi=3c6 pi=3c0 piv=3d6 prime=2032 prod=220f prop=221d psi=3c8 rArr=21d2 \
    radic=221a rang=232a rarr=2192 rceil=2309 rdquo=201d real=211c rfloor=230b rho=3c1 rlm=200f \
    rsaquo=203a rsquo=2019 sbquo=201a scaron=161 sdot=22c5 sigma=3c3 sigmaf=3c2 sim=223c \
    spades=2660 sub=2282 sube=2286 sum=2211 sup=2283 supe=2287 tau=3c4 there4=2234 theta=3b8 \
    thetasym=3d1 thinsp=2009 tilde=2dc trade=2122 uArr=21d1 uarr=2191 upsih=3d2 upsilon=3c5 \
    weierp=2118 xi=3be zeta=3b6 zwj=200d zwnj=200c Idot=130";
/// What stands for the signs from U+0080 to U+009F, as a Windows code page has them; 0 where it has none.
const WINDOWS: [u32; 32] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d,
    0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a,
    0x153, 0x9d, 0x17e, 0x178,
];
/// What stands where a name may be one that is not known here; no page says it.
const UNKNOWN: char = '\u{e000}';
/// The most signs of a name.
const NAME: usize = 32;

/// A text with its references put in: one reading, or, where names are unknown here, one as if they were no references
/// and one with a sign that nothing is like.
pub(crate) fn unescape(text: &str) -> Vec<String> {
    if !text.contains('&') {
        return vec![text.to_owned()];
    }
    let (mut plain, mut marked, mut unsure) = (String::new(), String::new(), false);
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, after) = (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default());
        plain.push_str(before);
        marked.push_str(before);
        let (len, read) = reference(after);
        let (put, is_unsure) = match read {
            EntityState::Sure(put) => (put, false),
            EntityState::Unsure(put) => (put, true),
        };
        plain.push_str(&put);
        if is_unsure {
            marked.push(UNKNOWN);
        } else {
            marked.push_str(&put);
        }
        unsure |= is_unsure;
        rest = after.get(len..).unwrap_or_default();
    }
    plain.push_str(rest);
    marked.push_str(rest);
    if unsure { vec![plain, marked] } else { vec![plain] }
}

enum EntityState {
    Sure(String),
    Unsure(String),
}

/// What stands behind an ampersand: how many bytes of it are the reference, and what it says.
fn reference(after: &str) -> (usize, EntityState) {
    if let Some(number) = after.strip_prefix('#') {
        let (radix, digits) = match number.strip_prefix(['x', 'X']) {
            Some(digits) if digits.starts_with(|c: char| c.is_ascii_hexdigit()) => (16, digits),
            _ => (10, number),
        };
        let len = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        if len == 0 {
            return (0, EntityState::Sure("&".to_owned()));
        }
        let semicolon = usize::from(digits.get(len..).is_some_and(|rest| rest.starts_with(';')));
        let code = u32::from_str_radix(digits.get(..len).unwrap_or_default(), radix).unwrap_or(u32::MAX);
        let put = sign(code).map(String::from).unwrap_or_default();
        return (after.len() - digits.len() + len + semicolon, EntityState::Sure(put));
    }
    let ends = |c: char| matches!(c, '\t' | '\n' | '\u{c}' | ' ' | '<' | '&' | '#' | ';');
    let name: String = after.chars().take(NAME).take_while(|c| !ends(*c)).collect();
    if name.is_empty() {
        return (0, EntityState::Sure("&".to_owned()));
    }
    let semicolon = after.get(name.len()..).is_some_and(|rest| rest.starts_with(';'));
    let len = name.len() + usize::from(semicolon);
    if let Some(sign) = bare(&name) {
        return (len, EntityState::Sure(sign.to_string()));
    }
    if semicolon && let Some(sign) = named(&name) {
        return (len, EntityState::Sure(sign));
    }
    let said = after.get(..len).unwrap_or_default();
    // The longest beginning that is a name.
    let ends = name.char_indices().map(|(at, _)| at).rev().chain(semicolon.then_some(name.len()));
    let begun = ends.filter(|at| name.get(..*at).is_some_and(|name| name.chars().count() >= 2));
    let found = begun.filter_map(|at| Some((at, bare(name.get(..at)?)?))).max_by_key(|(at, _)| *at);
    let put = match found {
        Some((at, sign)) => format!("{sign}{}", said.get(at..).unwrap_or_default()),
        None => format!("&{said}"),
    };
    let may_be = semicolon && name.chars().all(|c| c.is_ascii_alphanumeric());
    (len, if may_be { EntityState::Unsure(put) } else { EntityState::Sure(put) })
}

fn bare(name: &str) -> Option<char> {
    let latin = LATIN.split(' ').zip('\u{a0}'..='\u{ff}').find(|(known, _)| *known == name);
    latin.map(|(_, sign)| sign).or_else(|| listed(BARE, name))
}

/// The sign of a name in a list of names with their signs in hexadecimal.
fn listed(list: &str, name: &str) -> Option<char> {
    let (_, code) =
        list.split(' ').filter_map(|pair| pair.split_once('=')).find(|(known, _)| *known == name)?;
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}

fn named(name: &str) -> Option<String> {
    if name == "fjlig" {
        return Some("fj".to_owned());
    }
    listed(NAMED, name).map(String::from)
}

/// The sign of a number; none for those that are left out.
fn sign(code: u32) -> Option<char> {
    let code = match code {
        0 => 0xfffd,
        0x80..=0x9f => WINDOWS.get(code as usize - 0x80).copied().unwrap_or(code),
        0xd800..=0xdfff | 0x0011_0000.. => 0xfffd,
        0x1..=0x8 | 0xb | 0xe..=0x1f | 0x7f | 0xfdd0..=0xfdef => return None,
        _ if code & 0xfffe == 0xfffe => return None,
        _ => code,
    };
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_known_here_has_two_readings() {
        assert_eq!(unescape("x&&foo;"), ["x&&foo;", "x&\u{e000}"]);
    }
}
