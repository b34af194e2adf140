import { type Mutant, mutantsOf } from './mutant.ts'

const nothing = ''

/** Ways to take in a token that should be refused for what it is. */
export const tokenMutants: readonly Mutant[] = [
  ...mutantsOf('encoding/base64url.ts', [
    [
      'takes any text that decodes',
      ["bytes.toString('base64url') === text ? bytes : undefined", 'bytes'],
    ],
    ['takes padding', ['=== text ?', "=== text.replace(/=+$/, '') ?"]],
  ]),
  ...mutantsOf('encoding/strict-json.ts', [
    [
      'takes repeated members',
      ['countMembers(value) === source.members ? value : undefined', 'value'],
    ],
    [
      'takes repeated members below the first level',
      ['members += 1 + countMembers(value[name as keyof typeof value])', 'members += 1'],
      ['members += countMembers(item)', 'members += 0'],
      ['countMembers(value) ===', 'countMembers(value) <='],
    ],
    ['takes bytes that are not UTF-8', ['fatal: true', 'fatal: false']],
    ['takes a byte order mark', ['ignoreBOM: true', 'ignoreBOM: false']],
    ['nests without end', ['const maxDepth = 32', 'const maxDepth = 1e9']],
    ['miscounts where a string ends in a backslash', ['backslashes % 2 === 1', 'backslashes > 0']],
    [
      'counts brackets in strings',
      ['if (code === quote) index = endOfString(text, index)', 'if (code === quote) index += 0'],
    ],
    ['forgets that brackets are closed', ['depth -= 1', 'depth -= 0']],
    ['counts no braces', [' || code === openBrace) {', ') {']],
  ]),
  ...mutantsOf('token/token-header.ts', [
    [
      'takes any algorithm that the header names',
      ["if (header.alg !== 'RS256') return 'algorithm_not_rs256'", nothing],
    ],
    [
      'takes every RS algorithm',
      ["header.alg !== 'RS256'", '!/^RS\\d+$/.test(String(header.alg))'],
    ],
    [
      'compares the algorithm without case',
      ["header.alg !== 'RS256'", "String(header.alg).toUpperCase() !== 'RS256'"],
    ],
    [
      'takes an algorithm in an array',
      ["header.alg !== 'RS256'", "String(header.alg) !== 'RS256'"],
    ],
    ['overlooks crit', ["'crit', ", nothing]],
    ['overlooks b64', ["'b64', ", nothing]],
    ['overlooks zip', ["'zip', ", nothing]],
    ['overlooks enc', ["'enc', ", nothing]],
    ['overlooks cty, and so a nested token', ["'cty', ", nothing]],
    ['overlooks jku', ["'jku', ", nothing]],
    ['overlooks jwk', ["'jwk', ", nothing]],
    ['overlooks x5u', ["'x5u', ", nothing]],
    ['overlooks x5c', [", 'x5c'", nothing]],
    [
      'asks only for the values of header members, not for their presence',
      ['(member) => member in header', '(member) => Boolean(header[member])'],
    ],
    ['takes a kid of any length', ['!isUsableKid(kid)', "typeof kid !== 'string' || kid === ''"]],
    [
      'takes every type of token',
      ["(typeof typ !== 'string' || !tokenTypes.has(typ.toLowerCase()))", 'false'],
    ],
    [
      'knows a header by its beginning',
      ['this.#accepted.get(encoded)', 'this.#accepted.get(encoded.slice(0, 40))'],
      ['this.#accepted.set(encoded, header)', 'this.#accepted.set(encoded.slice(0, 40), header)'],
    ],
    [
      'remembers headers without end',
      ['if (this.#accepted.size === maxCachedHeaders) this.#accepted.clear()', nothing],
    ],
  ]),
  ...mutantsOf('token/access-token.ts', [
    [
      'takes tokens of any length',
      ["if (token.length > maxTokenCharacters) return 'token_malformed'", nothing],
    ],
    [
      'takes claims that are an array',
      [
        "if (!isJsonObject(claims)) return 'claims_malformed'",
        "if (typeof claims !== 'object' || claims === null) return 'claims_malformed'",
      ],
    ],
    [
      'verifies the claims without their header',
      [
        'signingInput: token.slice(0, claimsEnd)',
        'signingInput: token.slice(headerEnd + 1, claimsEnd)',
      ],
    ],
  ]),
  ...mutantsOf('token/declared-roles.ts', [
    [
      'reads a role from a string',
      [
        "!Array.isArray(claim) || !claim.every((role) => typeof role === 'string')",
        "typeof claim !== 'string' && !Array.isArray(claim)",
      ],
    ],
    [
      'reads roles among things that are none',
      [" || !claim.every((role) => typeof role === 'string')", nothing],
    ],
    [
      'gives roles that it was not declared with',
      ['this.names.filter((role) => claim.includes(role))', 'claim as Role[]'],
    ],
    [
      'finds a role within another',
      ['claim.includes(role)', 'claim.some((name) => name.includes(role))'],
    ],
    [
      'compares roles without case',
      ['claim.includes(role)', 'claim.some((name) => name.toLowerCase() === role.toLowerCase())'],
    ],
    [
      'leaves the roles of a caller open to change',
      [
        'Object.freeze(this.names.filter((role) => claim.includes(role)))',
        'this.names.filter((role) => claim.includes(role))',
      ],
    ],
    ['gives the list of one token to another', ["(claim.includes(role) ? '+' : '-')", "'+'"]],
    [
      'writes different lists alike',
      ["(claim.includes(role) ? '+' : '-')", "(claim.includes(role) ? '+' : '')"],
    ],
    [
      'remembers lists without end',
      ['if (this.#lists.size === maxCachedLists) this.#lists.clear()', nothing],
    ],
  ]),
  ...mutantsOf('token/claims.ts', [
    [
      'forgets the issuer',
      ["if (claims.iss !== issuer.issuer) return 'issuer_not_trusted'", nothing],
    ],
    [
      'forgets the tenant',
      [
        "if (issuer.tenantId !== undefined && claims.tid !== issuer.tenantId) return 'tenant_not_trusted'",
        nothing,
      ],
    ],
    [
      'forgets the audience',
      ["if (!isForAudience(claims.aud, issuer.audiences)) return 'audience_not_ours'", nothing],
    ],
    [
      'takes an audience that only begins as ours',
      ['listed.includes(audience)', 'listed.some((name) => name.startsWith(audience))'],
    ],
    [
      'takes an audience that contains ours',
      ["const listed = typeof aud === 'string' ? [aud] : aud", 'const listed = [String(aud)]'],
      ['listed.includes(audience)', 'String(listed).includes(audience)'],
    ],
    [
      'takes an audience among things that are no strings',
      [" || !listed.every((name) => typeof name === 'string')", nothing],
    ],
    [
      'takes id tokens, event tokens and tokens of users',
      [
        "if (foreignClaims.some((claim) => claim in claims)) return 'type_not_access_token'",
        nothing,
      ],
    ],
    ['takes tokens that act for a user', [", 'scp'", nothing]],
    [
      'forgets idtyp',
      [
        "if (claims.idtyp !== undefined && claims.idtyp !== 'app') return 'type_not_access_token'",
        nothing,
      ],
    ],
    [
      'forgets the version',
      [
        "if (claims.ver !== undefined && claims.ver !== issuer.tokenVersion) return 'claims_malformed'",
        nothing,
      ],
    ],
    ['asks for no application', ['!isName(applicationId) || ', nothing]],
    ['asks for no subject', [' || !isName(sub)', nothing]],
    ['lives for ever without exp', [' || !isInstant(exp)', nothing]],
    [
      'takes a time that is no number',
      ["typeof value === 'number' && Number.isFinite(value)", 'value !== undefined'],
    ],
    ['takes an infinite time', [' && Number.isFinite(value)', nothing]],
    ['forgets nbf', ['Math.max(nbf, iat)', 'iat']],
    ['forgets iat', ['Math.max(nbf, iat)', 'nbf']],
    [
      'takes a bound token as plain',
      ['claims.cnf === undefined ? undefined : thumbprintOf(claims.cnf)', 'undefined'],
    ],
    [
      'takes a binding that it does not understand',
      ["if (boundTo === null) return 'binding_not_proven'", nothing],
      [
        'notBefore: Math.max(nbf, iat), boundTo }',
        'notBefore: Math.max(nbf, iat), boundTo: boundTo ?? undefined }',
      ],
    ],
    [
      'takes a binding beside another that it does not understand',
      [' || Object.keys(cnf).length !== 1', nothing],
    ],
    ['leaves a caller open to change', ['Object.freeze(caller)', 'caller']],
    [
      'forgets the expiry',
      ["if (!(now < expiresAt + toleranceSeconds)) return 'expired'", nothing],
    ],
    ['forgets the tolerance at the end', ['expiresAt + toleranceSeconds', 'expiresAt']],
    ['is a second late at the end', ['now < expiresAt', 'now <= expiresAt']],
    [
      'forgets the beginning',
      ["if (!(now >= notBefore - toleranceSeconds)) return 'not_yet_valid'", nothing],
    ],
    ['forgets the tolerance at the beginning', ['notBefore - toleranceSeconds', 'notBefore']],
    ['is a second late at the beginning', ['now >= notBefore', 'now > notBefore']],
    [
      'takes a time that cannot be compared',
      ['!(now < expiresAt + toleranceSeconds)', 'now >= expiresAt + toleranceSeconds'],
    ],
  ]),
]
