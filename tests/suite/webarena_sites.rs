//! Sites that speak the addresses and the markup that WebArena's evaluators ask for, as far as our own tasks need them: a
//! shop with its interface for programs, a back office, a forum, repositories, a map. Each listens on a port of its own.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use super::support::{Answer, Request, Server};

#[derive(Default)]
pub struct World {
    orders: u32,
    comments: Vec<String>,
    pub signed_in: Vec<&'static str>,
    sessions: BTreeSet<String>,
}

/// Status line, further fields and body.
struct Told(String, Vec<String>, String);

fn page(title: &str, body: &str) -> Told {
    let text = format!(
        "<!doctype html><html lang=en><title>{title}</title><body><h1>{title}</h1>{body}</body></html>"
    );
    Told("200 OK".into(), vec!["content-type: text/html; charset=utf-8".into()], text)
}

fn json(text: &str) -> Told {
    Told("200 OK".into(), vec!["content-type: application/json".into()], text.to_owned())
}

fn to(path: &str) -> Told {
    Told("302 Found".into(), vec![format!("location: {path}")], String::new())
}

fn missing() -> Told {
    Told("404 Not Found".into(), vec!["content-type: text/html".into()], "<h1>Not found</h1>".into())
}

/// A form that signs in. The search field above it is a trap for whoever takes the first field.
fn sign_in() -> Told {
    let body =
        "<form action=/search><input name=q aria-label=Search></form><form method=post action=/session>
         <label>Name <input name=user></label><label>Password <input name=pass type=password></label>
         <button>Sign in</button></form>";
    page("Sign in", body)
}

#[derive(Clone, Copy)]
struct Site {
    name: &'static str,
    form: &'static str,
    user: &'static str,
    password: &'static str,
    answer: fn(&Request, bool, &mut World) -> Told,
}

const SITES: [Site; 5] = [
    Site {
        name: "shopping",
        form: "/customer/account/login/",
        user: "emma.lopez%40gmail.com",
        password: "Password.123",
        answer: shop,
    },
    Site { name: "shopping_admin", form: "/admin", user: "admin", password: "admin1234", answer: office },
    Site { name: "reddit", form: "/login", user: "MarvelsGrantMan136", password: "test1234", answer: forum },
    Site { name: "gitlab", form: "/users/sign_in", user: "byteblaze", password: "hello1234", answer: git },
    Site { name: "map", form: "/none", user: "", password: "", answer: map },
];

fn shop(asked: &Request, known: bool, world: &mut World) -> Told {
    let bears = asked.authorization == "Bearer t0ken";
    match (asked.method.as_str(), asked.path.split('?').next().unwrap_or_default()) {
        ("POST", "/rest/default/V1/integration/admin/token")
            if asked.body.contains("admin1234") && asked.body.contains("\"admin\"") =>
        {
            json("\"t0ken\"")
        }
        ("GET", "/rest/V1/orders") if bears => {
            json(&format!("{{\"items\": [{{\"increment_id\": \"{:09}\"}}]}}", world.orders))
        }
        ("GET", "/rest/V1/products/B00X/reviews") if bears => json(
            "[{\"nickname\": \"Bo\", \"ratings\": [{\"rating_name\": \"Rating\", \"percent\": 20}]},
              {\"nickname\": \"Ada L\", \"ratings\": [{\"rating_name\": \"Rating\", \"percent\": 80}]}]",
        ),
        ("POST", "/order") if known => {
            world.orders += 1;
            to("/done")
        }
        ("GET", "/done") => page("Thank you", "<p>Your order is on its way.</p>"),
        ("GET", path) if path.starts_with("/sales/order/view/order_id/") && known => {
            let number = path.trim_end_matches('/').rsplit('/').next().and_then(|number| number.parse().ok());
            let body = "<span class=order-status>Pending</span><p>Salt &amp; pepper &copy; mill</p>";
            match number.filter(|number: &u32| (1..=world.orders).contains(number)) {
                Some(_) => page("Order", body),
                None => missing(),
            }
        }
        ("GET", "/") if known => page(
            "Shop",
            "<p>Welcome, Emma</p><form method=post action=/order><button>Buy the mill</button></form>",
        ),
        ("GET", "/") => page("Shop", "<p>Sign in to buy.</p>"),
        _ => missing(),
    }
}

fn office(asked: &Request, known: bool, _: &mut World) -> Told {
    match (asked.method.as_str(), asked.path.as_str()) {
        ("GET", "/admin") if known => page("Dashboard", "<a href=/admin/reports/viewed?a=1&b=2>Viewed</a>"),
        ("GET", path) if path.starts_with("/admin/reports/") && known => page("Report", "<p>Most viewed: the mill.</p>"),
        // What an action prepares is seen only then.
        ("GET", "/admin/panel") if known => page(
            "Panel",
            "<button id=more onclick=\"state.textContent='open'\">More</button><span id=state>shut</span><input id=size value=XL>
             <select id=pick><option>a<option selected>b</select><input id=on type=checkbox checked>",
        ),
        _ => missing(),
    }
}

fn forum(asked: &Request, known: bool, world: &mut World) -> Told {
    let here = asked.path.starts_with("/f/books/12");
    match asked.method.as_str() {
        "POST" if here && known => {
            world.comments.push(asked.body.strip_prefix("text=").unwrap_or_default().replace('+', " "));
            to(&format!("/f/books/12/a-title/-/comment/{}", world.comments.len()))
        }
        "GET" if here && known => {
            // Only the post's own page has all comments.
            let shown = if asked.path == "/f/books/12/" { &world.comments[..] } else { &[] };
            let all = shown.join("</p><p class=comment__body>");
            let body = format!(
                "<div class=submission__body>What do you read?</div><p class=comment__body>{all}</p>
                 <form method=post action=/f/books/12/comment><label>Comment <input name=text></label><button>Post</button></form>"
            );
            page("A title", &body)
        }
        "GET" if asked.path == "/" && known => page("Forum", "<a href=/f/books/12/a-title>A title</a>"),
        _ => missing(),
    }
}

fn git(asked: &Request, known: bool, _: &mut World) -> Told {
    match asked.path.as_str() {
        "/" if known => page("Projects", "<a href=/a/b/-/issues/?state=opened>Issues</a>"),
        "/a/b/-/issues/?state=opened" if known => page("Issues", "<p>Three are open.</p>"),
        "/a/b/-/project_members" if known => {
            let row = |name: &str, role: &str| {
                format!(
                    "<tr><td data-label=Account><span class=gl-avatar-labeled-sublabel>@{name}</span></td>
                     <td class=col-max-role><span>{role}</span></td></tr>"
                )
            };
            page("Members", &format!("<table>{}{}</table>", row("bo", "Owner"), row("ada", "Developer")))
        }
        _ => missing(),
    }
}

fn map(asked: &Request, _: bool, _: &mut World) -> Told {
    match asked.path.as_str() {
        "/" => page("Map", "<p>Brook: 3,500 people. Brook Mill: closed on Sundays.</p>"),
        _ => missing(),
    }
}

impl Site {
    fn answer(self, asked: &Request, world: &mut World) -> Told {
        let cookie = format!("sid_{}=", self.name);
        let session = asked.cookies.split("; ").find(|one| one.starts_with(&cookie));
        let known = session.is_some_and(|session| world.sessions.contains(session));
        if asked.method == "POST" && asked.path == "/session" {
            let right = format!("user={}&pass={}", self.user, self.password);
            if asked.body != right {
                return sign_in();
            }
            world.signed_in.push(self.name);
            let session = format!("{cookie}{}", world.signed_in.len());
            world.sessions.insert(session.clone());
            let mut told = to(if self.name == "shopping_admin" { "/admin" } else { "/" });
            told.1.push(format!("set-cookie: {session}; Path=/; HttpOnly"));
            return told;
        }
        if asked.path == self.form && !known {
            return sign_in();
        }
        (self.answer)(asked, known, world)
    }
}

/// The sites, each at an address of its own.
pub struct StandIns {
    places: Vec<(&'static str, Server)>,
    pub world: Arc<Mutex<World>>,
}

impl StandIns {
    pub fn start() -> Self {
        let world: Arc<Mutex<World>> = Arc::default();
        let places = SITES.into_iter().map(|site| {
            let world = world.clone();
            let answer = move |_, asked: &Request| site.answer(asked, &mut world.lock().unwrap()).sent();
            (site.name, Server::start(answer))
        });
        Self { places: places.collect(), world }
    }

    pub fn flag(&self, name: &str) -> String {
        let (_, server) = self.places.iter().find(|(site, _)| *site == name).unwrap();
        format!("{name}={}", server.url(if name == "shopping_admin" { "/admin" } else { "" }))
    }

    pub fn flags(&self) -> String {
        self.places.iter().map(|(name, _)| format!("--site {} ", self.flag(name))).collect()
    }
}

impl Told {
    fn sent(self) -> Answer {
        let Self(status, fields, body) = self;
        let fields: String = fields.iter().map(|field| format!("{field}\r\n")).collect();
        let head = format!(
            "HTTP/1.1 {status}\r\n{fields}content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        Answer::Bytes(format!("{head}{body}").into_bytes())
    }
}
