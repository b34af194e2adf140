import { type ForgeryRow, withMember } from './forgery.ts'

const audience = 'The token is for another audience.'
const issuer = 'The token is from another issuer.'
const times = 'The end of validity is a number, and in the future.'
const roles = 'The claim `roles` is a list of texts, and one is the required role.'
const lastCounts = 'A claim name must occur once, because parsers differ about which one counts.'
const farSeconds = 9_999_999_999

const aud = { section: 'RFC 7519 section 4.1.3', reason: audience }
const iss = { section: 'RFC 8725 section 3.8', reason: issuer }
const exp = { section: 'RFC 7519 section 4.1.4', reason: times }
const nbf = {
  section: 'RFC 7519 section 4.1.5',
  reason: 'The start of validity is a number, and in the past.',
}
const role = { section: 'RFC 9068 section 2.2.3.1', reason: roles }
const json = { section: 'RFC 7519 section 7.2', reason: 'The claims are one JSON object in UTF-8.' }
const kind = 'RFC 8725 section 3.11'
const exchange = {
  section: 'Entra: agent identities, autonomous agents',
  reason:
    'The token of a blueprint authenticates an agent at the token endpoint, and calls no API.',
}

/** The claims of a token for token exchange, with an agent and a blueprint of the example in entra E193. */
const exchangeClaims = (iss: unknown, agentId: string, blueprintId: string) => ({
  iss: String(iss).replace(/\/(?:v2\.0)?$/, '/v2.0'),
  ver: '2.0',
  aud: 'fb60f99c-7a34-4190-8149-302f77469936',
  sub: `/eid1/c/pub/t/9SY2Mv4bzUiJAt39_UThzg/a/7FjA6MU6hkC1jb1zHXuuTw/${agentId}`,
  azp: blueprintId,
  appid: undefined,
  xms_ficinfo: 'CAAQABgAIAAoAjAA',
})
const siblingId = 'e8c058ec-3ac5-4086-b58d-bd731d7bae4f'
const otherTenantId = '11111111-2222-4333-8444-555555555555'

/** Forgeries of the claims, each signed by the published key. */
export const claimForgeries = {
  audience_other: { ...aud, make: ({ withClaims }) => withClaims({ aud: 'api://another' }) },
  audience_of_graph: {
    ...aud,
    make: ({ withClaims }) => withClaims({ aud: 'https://graph.microsoft.com' }),
  },
  audience_missing: { ...aud, make: ({ withClaims }) => withClaims({ aud: undefined }) },
  audience_null: { ...aud, make: ({ withClaims }) => withClaims({ aud: null }) },
  audience_extended: {
    ...aud,
    make: ({ claims, withClaims }) => withClaims({ aud: `${claims.aud}.attacker.example` }),
  },
  audience_shortened: {
    ...aud,
    make: ({ claims, withClaims }) => withClaims({ aud: String(claims.aud).slice(0, -1) }),
  },
  audience_list_of_others: {
    ...aud,
    make: ({ withClaims }) => withClaims({ aud: ['api://another', 'api://third'] }),
  },
  audience_object: {
    ...aud,
    make: ({ claims, withClaims }) => withClaims({ aud: { [String(claims.aud)]: true } }),
  },
  audience_duplicate: {
    section: 'RFC 7519 section 4',
    reason: lastCounts,
    make: ({ header, claims, withParts }) =>
      withParts(header, withMember(claims, '"aud":"api://another"')),
  },
  issuer_other_host: {
    ...iss,
    make: ({ claims, withClaims }) =>
      withClaims({ iss: `https://attacker.example/${claims.tid}/` }),
  },
  issuer_other_tenant: {
    ...iss,
    make: ({ claims, withClaims }) =>
      withClaims({
        iss: String(claims.iss).replace(String(claims.tid), '11111111-2222-4333-8444-555555555555'),
      }),
  },
  issuer_extended: {
    ...iss,
    make: ({ claims, withClaims }) => withClaims({ iss: `${claims.iss}x` }),
  },
  issuer_other_slash: {
    ...iss,
    make: ({ claims: { iss: of }, withClaims }) =>
      withClaims({ iss: String(of).endsWith('/') ? String(of).slice(0, -1) : `${of}/` }),
  },
  issuer_missing: { ...iss, make: ({ withClaims }) => withClaims({ iss: undefined }) },
  issuer_list: { ...iss, make: ({ claims, withClaims }) => withClaims({ iss: [claims.iss] }) },
  tenant_other: {
    section: 'Entra: claims validation, tid',
    reason: 'The token is from another tenant.',
    make: ({ withClaims }) => withClaims({ tid: '11111111-2222-4333-8444-555555555555' }),
  },
  version_other: {
    section: 'Entra: access tokens, ver',
    reason: 'The API does not expect this version of the token.',
    make: ({ withClaims }) => withClaims({ ver: '3.0' }),
  },
  expired: { ...exp, make: ({ nowSeconds, withClaims }) => withClaims({ exp: nowSeconds - 3600 }) },
  expiry_missing: { ...exp, make: ({ withClaims }) => withClaims({ exp: undefined }) },
  expiry_null: { ...exp, make: ({ withClaims }) => withClaims({ exp: null }) },
  expiry_text: { ...exp, make: ({ withClaims }) => withClaims({ exp: `${farSeconds}` }) },
  expiry_list: { ...exp, make: ({ withClaims }) => withClaims({ exp: [farSeconds] }) },
  expiry_true: { ...exp, make: ({ withClaims }) => withClaims({ exp: true }) },
  expiry_infinite: {
    ...exp,
    make: ({ claims, header, withParts }) =>
      withParts(header, JSON.stringify({ ...claims, exp: 0 }).replace('"exp":0', '"exp":1e400')),
  },
  expiry_duplicate: {
    section: 'RFC 7519 section 4',
    reason: lastCounts,
    make: ({ header, claims, withParts }) => withParts(header, withMember(claims, '"exp":1')),
  },
  not_yet_valid: {
    ...nbf,
    make: ({ nowSeconds, withClaims }) =>
      withClaims({ nbf: nowSeconds + 3600, exp: nowSeconds + 7200 }),
  },
  start_text: { ...nbf, make: ({ withClaims }) => withClaims({ nbf: 'now' }) },
  start_object: { ...nbf, make: ({ withClaims }) => withClaims({ nbf: {} }) },
  roles_missing: { ...role, make: ({ withClaims }) => withClaims({ roles: undefined }) },
  roles_empty: { ...role, make: ({ withClaims }) => withClaims({ roles: [] }) },
  roles_text: { ...role, make: ({ role: of, withClaims }) => withClaims({ roles: of }) },
  roles_text_list: {
    ...role,
    make: ({ role: of, withClaims }) => withClaims({ roles: `${of} Admin` }),
  },
  roles_object: {
    ...role,
    make: ({ role: of, withClaims }) => withClaims({ roles: { [of]: true } }),
  },
  roles_nested: { ...role, make: ({ role: of, withClaims }) => withClaims({ roles: [[of]] }) },
  roles_other_case: {
    ...role,
    make: ({ role: of, withClaims }) =>
      withClaims({ roles: [of === of.toUpperCase() ? of.toLowerCase() : of.toUpperCase()] }),
  },
  roles_with_space: {
    ...role,
    make: ({ role: of, withClaims }) => withClaims({ roles: [` ${of} `] }),
  },
  roles_extended: {
    ...role,
    make: ({ role: of, withClaims }) => withClaims({ roles: [`${of}.All`] }),
  },
  roles_shortened: {
    ...role,
    make: ({ role: of, withClaims }) => withClaims({ roles: [of.slice(0, -1)] }),
  },
  roles_of_another_api: {
    ...role,
    make: ({ withClaims }) => withClaims({ roles: ['Directory.Read.All'] }),
  },
  roles_true: { ...role, make: ({ withClaims }) => withClaims({ roles: true }) },
  roles_duplicate: {
    section: 'RFC 7519 section 4',
    reason: lastCounts,
    make: ({ header, claims, withParts }) => withParts(header, withMember(claims, '"roles":[]')),
  },
  scope_in_place_of_roles: {
    section: 'Entra: permissions, application permissions',
    reason: 'A delegated permission is no application role.',
    make: ({ role: of, withClaims }) => withClaims({ roles: undefined, scp: of }),
  },
  claims_list: { ...json, make: ({ header, claims, withParts }) => withParts(header, [claims]) },
  claims_text: { ...json, make: ({ header, withParts }) => withParts(header, '"claims"') },
  claims_not_json: {
    ...json,
    make: ({ header, claims, withParts }) => withParts(header, `${JSON.stringify(claims)}]`),
  },
  claims_not_utf8: {
    ...json,
    make: ({ header, claims, withParts }) =>
      withParts(header, Buffer.from(withMember(claims, '"x":"\u00ff"'), 'latin1')),
  },
  id_token: {
    section: kind,
    reason: 'An ID token is for the client, not for an API.',
    make: ({ clientId, withClaims }) =>
      withClaims({ aud: clientId, nonce: 'nonce', roles: undefined, idp: undefined }),
  },
  dpop_proof: {
    section: 'RFC 9449 section 4.2',
    reason: 'A proof of a key is no access token.',
    make: ({ header, nowSeconds, withParts }) =>
      withParts(
        { ...header, typ: 'dpop+jwt' },
        { jti: 'proof', htm: 'GET', htu: 'https://api.example/orders', iat: nowSeconds },
      ),
  },
  type_of_security_event: {
    section: kind,
    reason: 'The header does not have the type of an access token.',
    make: ({ withHeader }) => withHeader({ typ: 'secevent+jwt' }),
  },
  type_of_logout_token: {
    section: kind,
    reason: 'The header does not have the type of an access token.',
    make: ({ withHeader }) => withHeader({ typ: 'logout+jwt' }),
  },
  client_assertion: {
    section: 'RFC 7523 section 3',
    reason: 'A client assertion is for the token endpoint.',
    make: ({ claims, clientId, withClaims }) =>
      withClaims({ iss: clientId, sub: clientId, aud: claims.iss, roles: undefined }),
  },
  nested_token: {
    section: 'RFC 7519 section 5.2',
    reason: 'The payload is another token, not claims.',
    make: ({ header, token, withParts }) => withParts({ ...header, cty: 'JWT' }, token),
  },
  bound_to_a_key: {
    section: 'RFC 9449 section 7.1',
    reason: 'A token that is bound to a key needs a proof of the key.',
    make: ({ withClaims }) =>
      withClaims({ cnf: { jkt: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I' } }),
  },
  bound_to_a_certificate: {
    section: 'RFC 8705 section 3',
    reason: 'A token that is bound to a certificate needs its connection.',
    make: ({ withClaims }) =>
      withClaims({ cnf: { 'x5t#S256': 'A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0' } }),
  },
  agent_exchange_token: {
    ...exchange,
    make: ({ claims, clientId, withClaims }) =>
      withClaims({ ...exchangeClaims(claims.iss, siblingId, clientId), roles: undefined }),
  },
  agent_exchange_token_with_roles: {
    ...exchange,
    make: ({ claims, clientId, withClaims }) =>
      withClaims(exchangeClaims(claims.iss, siblingId, clientId)),
  },
  agent_exchange_token_of_sibling: {
    ...exchange,
    make: ({ claims, clientId, withClaims }) =>
      withClaims(exchangeClaims(claims.iss, clientId, siblingId)),
  },
  agent_of_a_known_blueprint: {
    section: 'Entra: agent identities, token claims',
    reason: 'The blueprint of an agent is for logs. Only a role permits a call.',
    make: ({ clientId, withClaims }) =>
      withClaims({ roles: undefined, xms_par_app_azp: clientId, xms_act_fct: '3 9 11' }),
  },
  agent_of_another_tenant: {
    ...iss,
    make: ({ claims, withClaims }) =>
      withClaims({
        iss: String(claims.iss).replace(String(claims.tid), otherTenantId),
        tid: otherTenantId,
        xms_par_app_azp: siblingId,
      }),
  },
} as const satisfies Readonly<Record<string, ForgeryRow>>
