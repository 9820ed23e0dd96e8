//! HTTP on the loopback. Clients are untrusted, so everything is bounded: connections, time, sizes; and a page
//! of another site that sends its visitor's browser here is refused by the name that it asks for.

use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, X_CONTENT_TYPE_OPTIONS};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use isaglot::explore;
use isaglot_site::explorer::{self, Backend};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use super::engine::{self, Answer, Question};
use super::limits::{ANSWER_TIME, BODY_TIME, HEAD_TIME, MAX_BODY, MAX_CONNECTIONS, MAX_HEAD};

type Reply = Response<Full<Bytes>>;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";
const JSON: &str = "application/json";

/// Serves until the process ends.
pub(crate) fn serve(listener: TcpListener, engine: Sender<engine::Request>) -> std::io::Result<()> {
    let port = listener.local_addr()?.port();
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        loop {
            // A connection that fails before it begins concerns nobody else.
            let Ok((stream, _)) = listener.accept().await else { continue };
            let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else { continue };
            let engine = engine.clone();
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let engine = engine.clone();
                    async move { Ok::<_, Infallible>(answer(request, port, &engine).await) }
                });
                let mut http = hyper::server::conn::http1::Builder::new();
                http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MAX_HEAD);
                // An error is the other side's; there is nobody to tell.
                let _ = http.serve_connection(TokioIo::new(stream), service).await;
                drop(slot);
            });
        }
    })
}

async fn answer(request: Request<Incoming>, port: u16, engine: &Sender<engine::Request>) -> Reply {
    if !is_local(&request, port) {
        return plain(StatusCode::FORBIDDEN, "ask for this server by its own name");
    }
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or("").to_owned();
    match (request.method(), path.as_str()) {
        (&Method::GET, "/") => page(HTML, explorer::page(Backend::Server, "docs/").into_bytes()),
        (&Method::GET, "/docs/explore.html") => page(HTML, explorer::page(Backend::Server, "").into_bytes()),
        (&Method::GET, "/api/status") => json(engine, Question::Status, &query).await,
        (&Method::GET, "/api/ask") => {
            let text = parameter(&query, "q").unwrap_or_default();
            json(engine, Question::Explore(explore::Question::Ask(text)), &query).await
        }
        (&Method::GET, "/api/next") => {
            let text = parameter(&query, "q").unwrap_or_default();
            json(engine, Question::Explore(explore::Question::Next(text)), &query).await
        }
        (&Method::GET, "/api/mnemonics") => json(engine, Question::Explore(explore::Question::Mnemonics), &query).await,
        (&Method::GET, "/api/values") => {
            let table = parameter(&query, "table").unwrap_or_default();
            let number = parameter(&query, "number").and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
            json(engine, Question::Explore(explore::Question::Values(table, number)), &query).await
        }
        (&Method::POST, "/api/list" | "/api/typed") => {
            let body = match body(request).await {
                Ok(body) => body,
                Err(refusal) => return refusal,
            };
            let question = if path == "/api/typed" {
                explore::Question::Typed(String::from_utf8_lossy(&body).into_owned())
            } else {
                let defs = parameter(&query, "defs").is_none_or(|defs| defs != "0");
                let first = parameter(&query, "first").and_then(|first| first.parse().ok());
                explore::Question::List { bytes: body, defs, first }
            };
            json(engine, Question::Explore(question), &query).await
        }
        (&Method::GET, path) if explorer::asset(path.trim_start_matches('/')).is_some() => {
            let found = explorer::asset(path.trim_start_matches('/')).unwrap_or_default();
            page(kind(path), found.into())
        }
        (&Method::GET, path) => match path.strip_prefix("/docs/") {
            Some(page) => docs(engine, page, &query).await,
            None => plain(StatusCode::NOT_FOUND, "there is no such page"),
        },
        _ => plain(StatusCode::METHOD_NOT_ALLOWED, "not done in this way"),
    }
}

/// The program that comes with a request.
async fn body(request: Request<Incoming>) -> Result<Vec<u8>, Reply> {
    let large = || plain(StatusCode::PAYLOAD_TOO_LARGE, "the program is too large");
    // Said before the body comes, if the head tells.
    if request.body().size_hint().lower() > MAX_BODY as u64 {
        return Err(large());
    }
    match timeout(BODY_TIME, Limited::new(request.into_body(), MAX_BODY).collect()).await {
        Err(_) => Err(plain(StatusCode::REQUEST_TIMEOUT, "the program took too long to come")),
        Ok(Err(_)) => Err(large()),
        Ok(Ok(body)) => Ok(body.to_bytes().to_vec()),
    }
}

/// What a file is, by its name.
fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("css") => CSS,
        Some("js") => SCRIPT,
        Some("svg") => PICTURE,
        _ => HTML,
    }
}

/// Whether the request asks for this server by a name of the loopback.
fn is_local(request: &Request<Incoming>, port: u16) -> bool {
    let host = request.headers().get(HOST).and_then(|h| h.to_str().ok()).unwrap_or("");
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| host == format!("{name}:{port}"))
}

fn parameter(query: &str, key: &str) -> Option<String> {
    form_urlencoded::parse(query.as_bytes()).find(|(k, _)| k == key).map(|(_, v)| v.into_owned())
}

/// The gen and the features that a request names.
fn choice(query: &str) -> Option<(String, Vec<String>)> {
    let generation = parameter(query, "gen");
    let features = parameter(query, "features");
    if generation.is_none() && features.is_none() {
        return None;
    }
    let list = features.unwrap_or_default();
    let features = list.split(',').filter(|f| !f.is_empty()).map(str::to_owned).collect();
    Some((generation.unwrap_or_default(), features))
}

async fn ask(engine: &Sender<engine::Request>, question: Question, query: &str) -> Result<Answer, Reply> {
    let gone = || plain(StatusCode::SERVICE_UNAVAILABLE, "the engine has stopped");
    let (reply, wait) = oneshot::channel();
    engine.send(engine::Request { question, choice: choice(query), reply }).map_err(|_| gone())?;
    match timeout(ANSWER_TIME, wait).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err(gone()),
        Err(_) => Err(plain(StatusCode::SERVICE_UNAVAILABLE, "the answer takes too long")),
    }
}

async fn json(engine: &Sender<engine::Request>, question: Question, query: &str) -> Reply {
    match ask(engine, question, query).await {
        Ok(Answer::Json(text)) => reply(StatusCode::OK, JSON, text.into_bytes()),
        Ok(Answer::Page(_)) => plain(StatusCode::NOT_FOUND, "there is no such page"),
        Err(reply) => reply,
    }
}

async fn docs(engine: &Sender<engine::Request>, path: &str, query: &str) -> Reply {
    let path = percent_decoded(if path.is_empty() { "index.html" } else { path });
    if let Some(bytes) = explorer::asset(&path) {
        return page(kind(&path), bytes.into());
    }
    let kind = kind(&path);
    // A page is looked up by name among those that were made; no file is ever opened.
    match ask(engine, Question::Page(path), query).await {
        Ok(Answer::Page(Some(bytes))) => reply(StatusCode::OK, kind, bytes),
        Ok(_) => plain(StatusCode::NOT_FOUND, "there is no such page"),
        Err(reply) => reply,
    }
}

/// A path as it was meant: `%7E` is `~`.
fn percent_decoded(path: &str) -> String {
    // A plus sign is itself in a path.
    let path = path.replace('+', "%2B");
    let pair = format!("p={path}");
    form_urlencoded::parse(pair.as_bytes()).next().map(|(_, v)| v.into_owned()).unwrap_or_default()
}

fn page(kind: &'static str, bytes: Vec<u8>) -> Reply {
    reply(StatusCode::OK, kind, bytes)
}

fn plain(status: StatusCode, text: &str) -> Reply {
    reply(status, "text/plain; charset=utf-8", format!("{text}\n").into_bytes())
}

fn reply(status: StatusCode, kind: &'static str, bytes: Vec<u8>) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from(bytes)));
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    let mut set =
        |name, value: &'static str| drop(headers.insert(name, hyper::header::HeaderValue::from_static(value)));
    set(CONTENT_TYPE, kind);
    set(CACHE_CONTROL, "no-store");
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(CONTENT_SECURITY_POLICY, "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
    reply
}
