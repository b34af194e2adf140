//! A resource server of axum and jsonwebtoken, as their pages show it. With the argument "rust-cached", verified
//! tokens are kept until they expire, 1000 at most.

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::sync::{Arc, RwLock};

use axum::Router;
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{
    Algorithm, DecodingKey, Validation, decode, decode_header, get_current_timestamp,
};
use serde::Deserialize;
use tokio::net::TcpListener;

#[derive(Deserialize)]
struct Claims {
    exp: u64,
    #[serde(default)]
    roles: Vec<String>,
}

const MOST_KEPT: usize = 1000;

struct Guard {
    keys: HashMap<String, DecodingKey>,
    validation: Validation,
    role: String,
    kept: Option<RwLock<HashMap<String, Arc<Claims>>>>,
}

impl Guard {
    fn from_environment(is_cached: bool) -> Result<Self, Box<dyn Error>> {
        let mut response = ureq::get(env::var("KEY_SET_URL")?).call()?;
        let set: JwkSet = response.body_mut().read_json()?;
        let mut keys = HashMap::new();
        for jwk in &set.keys {
            let id = jwk.common.key_id.clone().ok_or("a key has no ID")?;
            keys.insert(id, DecodingKey::from_jwk(jwk)?);
        }
        let mut validation = Validation::new(Algorithm::RS256);
        validation.validate_nbf = true;
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.set_issuer(&[env::var("ISSUER")?]);
        validation.set_audience(&[env::var("AUDIENCE")?]);
        let kept = is_cached.then(RwLock::default);
        Ok(Self {
            keys,
            validation,
            role: env::var("ROLE")?,
            kept,
        })
    }

    fn claims_of(&self, token: &str) -> Option<Arc<Claims>> {
        let Some(kept) = &self.kept else {
            return self.verify(token);
        };
        let found = kept.read().ok()?.get(token).cloned();
        if let Some(claims) = found.filter(|claims| claims.exp > get_current_timestamp()) {
            return Some(claims);
        }
        let claims = self.verify(token)?;
        let mut kept = kept.write().ok()?;
        if kept.len() == MOST_KEPT {
            kept.clear();
        }
        kept.insert(token.to_owned(), claims.clone());
        Some(claims)
    }

    fn verify(&self, token: &str) -> Option<Arc<Claims>> {
        let key = self.keys.get(&decode_header(token).ok()?.kid?)?;
        Some(Arc::new(
            decode::<Claims>(token, key, &self.validation).ok()?.claims,
        ))
    }
}

async fn hi(
    State(guard): State<Arc<Guard>>,
    headers: HeaderMap,
) -> Result<&'static str, StatusCode> {
    let authorization = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let token = authorization.and_then(|value| value.strip_prefix("Bearer "));
    let claims = token
        .and_then(|token| guard.claims_of(token))
        .ok_or(StatusCode::UNAUTHORIZED)?;
    if claims.roles.contains(&guard.role) {
        Ok("Hi")
    } else {
        Err(StatusCode::FORBIDDEN)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let guard = Guard::from_environment(env::args().any(|argument| argument == "rust-cached"))?;
    let app = Router::new()
        .route("/", get(|| async { "Hi" }))
        .route("/api/v1/hi", get(hi))
        .with_state(Arc::new(guard));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!(
        r#"{{"msg":"listening","url":"http://{}"}}"#,
        listener.local_addr()?
    );
    Ok(axum::serve(listener, app).await?)
}
