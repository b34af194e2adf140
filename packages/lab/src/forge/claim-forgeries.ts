import { type ForgeryMaterial, type ForgeryRow, withMember } from './forgery.ts'

const times = 'The end of validity is a number, and in the future.'
const farSeconds = 9_999_999_999
const kind = 'RFC 8725 section 3.11'
const otherTenantId = '11111111-2222-4333-8444-555555555555'

/** Makes the forgeries of one reason. Each has the genuine claims with changes. */
const changedClaims =
  (section: string, reason: string) =>
  (changes: object | ((material: ForgeryMaterial) => object)): ForgeryRow => ({
    section,
    reason,
    make: (material) =>
      material.withClaims(typeof changes === 'function' ? changes(material) : changes),
  })

const aud = changedClaims('RFC 7519 section 4.1.3', 'The token is for another audience.')
const iss = changedClaims('RFC 8725 section 3.8', 'The token is from another issuer.')
const exp = changedClaims('RFC 7519 section 4.1.4', times)
const nbf = changedClaims(
  'RFC 7519 section 4.1.5',
  'The start of validity is a number, and in the past.',
)
const role = changedClaims(
  'RFC 9068 section 2.2.3.1',
  'The claim `roles` is a list of texts, and one is the required role.',
)
const exchange = changedClaims(
  'Entra: agent identities, autonomous agents',
  'The token of a blueprint authenticates an agent at the token endpoint, and calls no API.',
)
const json = { section: 'RFC 7519 section 7.2', reason: 'The claims are one JSON object in UTF-8.' }

const duplicate = (member: string): ForgeryRow => ({
  section: 'RFC 7519 section 4',
  reason: 'A claim name must occur once, because parsers differ about which one counts.',
  make: ({ header, claims, withParts }) => withParts(header, withMember(claims, member)),
})

const ofType = (typ: string): ForgeryRow => ({
  section: kind,
  reason: 'The header does not have the type of an access token.',
  make: ({ withHeader }) => withHeader({ typ }),
})

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

/** Forgeries of the claims, each signed by the published key. */
export const claimForgeries = {
  audience_other: aud({ aud: 'api://another' }),
  audience_of_graph: aud({ aud: 'https://graph.microsoft.com' }),
  audience_missing: aud({ aud: undefined }),
  audience_null: aud({ aud: null }),
  audience_extended: aud(({ claims }) => ({ aud: `${claims.aud}.attacker.example` })),
  audience_shortened: aud(({ claims }) => ({ aud: String(claims.aud).slice(0, -1) })),
  audience_list_of_others: aud({ aud: ['api://another', 'api://third'] }),
  audience_object: aud(({ claims }) => ({ aud: { [String(claims.aud)]: true } })),
  audience_duplicate: duplicate('"aud":"api://another"'),
  issuer_other_host: iss(({ claims }) => ({ iss: `https://attacker.example/${claims.tid}/` })),
  issuer_other_tenant: iss(({ claims }) => ({
    iss: String(claims.iss).replace(String(claims.tid), otherTenantId),
  })),
  issuer_extended: iss(({ claims }) => ({ iss: `${claims.iss}x` })),
  issuer_other_slash: iss(({ claims: { iss: of } }) => ({
    iss: String(of).endsWith('/') ? String(of).slice(0, -1) : `${of}/`,
  })),
  issuer_missing: iss({ iss: undefined }),
  issuer_list: iss(({ claims }) => ({ iss: [claims.iss] })),
  tenant_other: {
    section: 'Entra: claims validation, tid',
    reason: 'The token is from another tenant.',
    make: ({ withClaims }) => withClaims({ tid: otherTenantId }),
  },
  version_other: {
    section: 'Entra: access tokens, ver',
    reason: 'The API does not expect this version of the token.',
    make: ({ withClaims }) => withClaims({ ver: '3.0' }),
  },
  expired: exp(({ nowSeconds }) => ({ exp: nowSeconds - 3600 })),
  expiry_missing: exp({ exp: undefined }),
  expiry_null: exp({ exp: null }),
  expiry_text: exp({ exp: `${farSeconds}` }),
  expiry_list: exp({ exp: [farSeconds] }),
  expiry_true: exp({ exp: true }),
  expiry_infinite: {
    section: 'RFC 7519 section 4.1.4',
    reason: times,
    make: ({ claims, header, withParts }) =>
      withParts(header, JSON.stringify({ ...claims, exp: 0 }).replace('"exp":0', '"exp":1e400')),
  },
  expiry_duplicate: duplicate('"exp":1'),
  not_yet_valid: nbf(({ nowSeconds }) => ({ nbf: nowSeconds + 3600, exp: nowSeconds + 7200 })),
  start_text: nbf({ nbf: 'now' }),
  start_object: nbf({ nbf: {} }),
  roles_missing: role({ roles: undefined }),
  roles_empty: role({ roles: [] }),
  roles_text: role(({ role: of }) => ({ roles: of })),
  roles_text_list: role(({ role: of }) => ({ roles: `${of} Admin` })),
  roles_object: role(({ role: of }) => ({ roles: { [of]: true } })),
  roles_nested: role(({ role: of }) => ({ roles: [[of]] })),
  roles_other_case: role(({ role: of }) => ({
    roles: [of === of.toUpperCase() ? of.toLowerCase() : of.toUpperCase()],
  })),
  roles_with_space: role(({ role: of }) => ({ roles: [` ${of} `] })),
  roles_extended: role(({ role: of }) => ({ roles: [`${of}.All`] })),
  roles_shortened: role(({ role: of }) => ({ roles: [of.slice(0, -1)] })),
  roles_of_another_api: role({ roles: ['Directory.Read.All'] }),
  roles_true: role({ roles: true }),
  roles_duplicate: duplicate('"roles":[]'),
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
  type_of_security_event: ofType('secevent+jwt'),
  type_of_logout_token: ofType('logout+jwt'),
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
  agent_exchange_token: exchange(({ claims, clientId }) => ({
    ...exchangeClaims(claims.iss, siblingId, clientId),
    roles: undefined,
  })),
  agent_exchange_token_with_roles: exchange(({ claims, clientId }) =>
    exchangeClaims(claims.iss, siblingId, clientId),
  ),
  agent_exchange_token_of_sibling: exchange(({ claims, clientId }) =>
    exchangeClaims(claims.iss, clientId, siblingId),
  ),
  agent_of_a_known_blueprint: {
    section: 'Entra: agent identities, token claims',
    reason: 'The blueprint of an agent is for logs. Only a role permits a call.',
    make: ({ clientId, withClaims }) =>
      withClaims({ roles: undefined, xms_par_app_azp: clientId, xms_act_fct: '3 9 11' }),
  },
  agent_of_another_tenant: iss(({ claims }) => ({
    iss: String(claims.iss).replace(String(claims.tid), otherTenantId),
    tid: otherTenantId,
    xms_par_app_azp: siblingId,
  })),
} as const satisfies Readonly<Record<string, ForgeryRow>>
