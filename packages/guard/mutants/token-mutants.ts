import { type Mutant, mutantsOf } from './mutant.ts'

const nothing = ''

/** Ways to accept a token that must be refused for its content. */
export const tokenMutants: readonly Mutant[] = [
  ...mutantsOf('encoding/base64url.ts', [
    [
      'accepts any text that decodes',
      ["bytes.toString('base64url') === text ? bytes : undefined", 'bytes'],
    ],
    [
      'accepts padding',
      [
        "bytes.toString('base64url') === text ?",
        "bytes.toString('base64url') === text.replace(/=+$/, '') ?",
      ],
    ],
    ['accepts any text that decodes, without Buffer', ['encoded === text', 'true']],
    [
      'accepts the standard alphabet, without Buffer',
      ['encoded === text', "encoded === text.replaceAll('+', '-').replaceAll('/', '_')"],
    ],
  ]),
  ...mutantsOf('encoding/strict-json.ts', [
    [
      'accepts repeated members',
      ['countMembers(value) === source.members ? value : undefined', 'value'],
    ],
    [
      'accepts repeated members below the first level',
      ['members += 1 + countMembers(value[name as keyof typeof value])', 'members += 1'],
      ['members += countMembers(item)', 'members += 0'],
      ['countMembers(value) ===', 'countMembers(value) <='],
    ],
    ['accepts bytes that are not UTF-8', ['fatal: true', 'fatal: false']],
    ['accepts a byte order mark', ['ignoreBOM: true', 'ignoreBOM: false']],
    ['nests without a limit', ['const maxDepth = 32', 'const maxDepth = 1e9']],
    ['miscounts where a string ends in a backslash', ['backslashes % 2 === 1', 'backslashes > 0']],
    [
      'counts brackets in strings',
      ['if (code === quote) index = endOfString(text, index)', 'if (code === quote) index += 0'],
    ],
    ['does not count closing brackets', ['depth -= 1', 'depth -= 0']],
    ['does not count braces', [' || code === openBrace) {', ') {']],
  ]),
  ...mutantsOf('token/token-header.ts', [
    [
      'accepts any algorithm that the header names',
      ["if (header.alg !== 'RS256') return 'algorithm_not_rs256'", nothing],
    ],
    [
      'accepts every RS algorithm',
      ["header.alg !== 'RS256'", '!/^RS\\d+$/.test(String(header.alg))'],
    ],
    [
      'compares the algorithm without case',
      ["header.alg !== 'RS256'", "String(header.alg).toUpperCase() !== 'RS256'"],
    ],
    [
      'accepts an algorithm in an array',
      ["header.alg !== 'RS256'", "String(header.alg) !== 'RS256'"],
    ],
    ['ignores crit', ["'crit', ", nothing]],
    ['ignores b64', ["'b64', ", nothing]],
    ['ignores zip', ["'zip', ", nothing]],
    ['ignores enc', ["'enc', ", nothing]],
    ['ignores cty, and so a nested token', ["'cty', ", nothing]],
    ['ignores jku', ["'jku', ", nothing]],
    ['ignores jwk', ["'jwk', ", nothing]],
    ['ignores x5u', ["'x5u', ", nothing]],
    ['ignores x5c', [", 'x5c'", nothing]],
    [
      'checks only the values of header members, not their presence',
      ['(member) => member in header', '(member) => Boolean(header[member])'],
    ],
    ['accepts a kid of any length', ['!isUsableKid(kid)', "typeof kid !== 'string' || kid === ''"]],
    [
      'accepts every type of token',
      ["(typeof typ !== 'string' || !tokenTypes.has(typ.toLowerCase()))", 'false'],
    ],
    [
      'finds a header by its beginning',
      ['this.#accepted.get(encoded)', 'this.#accepted.get(encoded.slice(0, 40))'],
      ['this.#accepted.set(encoded, header)', 'this.#accepted.set(encoded.slice(0, 40), header)'],
    ],
    [
      'caches headers without a limit',
      ['if (this.#accepted.size === maxCachedHeaders) this.#accepted.clear()', nothing],
    ],
  ]),
  ...mutantsOf('token/access-token.ts', [
    [
      'accepts tokens of any length',
      ["if (token.length > maxTokenCharacters) return 'token_malformed'", nothing],
    ],
    [
      'accepts claims that are an array',
      [
        "if (!isJsonObject(claims)) return 'claims_malformed'",
        "if (typeof claims !== 'object' || claims === null) return 'claims_malformed'",
      ],
    ],
    [
      'verifies the signature without the header',
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
      'reads roles from a list with other values',
      [" || !claim.every((role) => typeof role === 'string')", nothing],
    ],
    [
      'returns undeclared roles',
      ['this.names.filter((role) => claim.includes(role))', 'claim as Role[]'],
    ],
    [
      'finds a role within another one',
      ['claim.includes(role)', 'claim.some((name) => name.includes(role))'],
    ],
    [
      'compares roles without case',
      ['claim.includes(role)', 'claim.some((name) => name.toLowerCase() === role.toLowerCase())'],
    ],
    [
      'does not freeze the roles of a caller',
      [
        'Object.freeze(this.names.filter((role) => claim.includes(role)))',
        'this.names.filter((role) => claim.includes(role))',
      ],
    ],
    ['returns the list of one token for another', ["(claim.includes(role) ? '+' : '-')", "'+'"]],
    [
      'has one pattern for different lists',
      ["(claim.includes(role) ? '+' : '-')", "(claim.includes(role) ? '+' : '')"],
    ],
    [
      'caches lists without a limit',
      ['if (this.#lists.size === maxCachedLists) this.#lists.clear()', nothing],
    ],
  ]),
  ...mutantsOf('token/claims.ts', [
    [
      'does not check the issuer',
      ["if (claims.iss !== issuer.issuer) return 'issuer_not_trusted'", nothing],
    ],
    [
      'does not check the tenant',
      [
        "if (issuer.tenantId !== undefined && claims.tid !== issuer.tenantId) return 'tenant_not_trusted'",
        nothing,
      ],
    ],
    [
      'does not check the audience',
      ["if (!isForAudience(claims.aud, issuer.audiences)) return 'audience_not_ours'", nothing],
    ],
    [
      'accepts an audience that only starts with that of the API',
      ['listed.includes(audience)', 'listed.some((name) => name.startsWith(audience))'],
    ],
    [
      'accepts an audience that contains that of the API',
      ["const listed = typeof aud === 'string' ? [aud] : aud", 'const listed = [String(aud)]'],
      ['listed.includes(audience)', 'String(listed).includes(audience)'],
    ],
    [
      'accepts an audience in a list with other values',
      [" || !listed.every((name) => typeof name === 'string')", nothing],
    ],
    [
      'accepts id tokens, event tokens and tokens of users',
      [
        "if (foreignClaims.some((claim) => claim in claims)) return 'type_not_access_token'",
        nothing,
      ],
    ],
    ['accepts tokens that act for a user', [", 'scp'", nothing]],
    [
      'does not check idtyp',
      [
        "if (claims.idtyp !== undefined && claims.idtyp !== 'app') return 'type_not_access_token'",
        nothing,
      ],
    ],
    [
      'does not check the version',
      ["if (!isInVersion(claims.ver, issuer.tokenVersion)) return 'claims_malformed'", nothing],
    ],
    [
      'checks the version of an issuer without one',
      ['expected === undefined || ver === undefined', 'ver === undefined'],
    ],
    [
      'accepts every version that is not a text',
      ['ver === undefined || ver === expected', "typeof ver !== 'string' || ver === expected"],
    ],
    [
      'accepts every version when the issuer has one',
      ['ver === undefined || ver === expected', 'ver !== null'],
    ],
    ['requires the claim ver', [' || ver === undefined || ', ' || ']],
    ['does not require an application', ['!isName(applicationId) || ', nothing]],
    ['does not require a subject', [' || !isName(sub)', nothing]],
    ['accepts a token without exp', [' || !isInstant(exp)', nothing]],
    [
      'accepts a time that is not a number',
      ["typeof value === 'number' && Number.isFinite(value)", 'value !== undefined'],
    ],
    ['accepts an infinite time', [' && Number.isFinite(value)', nothing]],
    ['does not check nbf', ['Math.max(nbf, iat)', 'iat']],
    ['does not check iat', ['Math.max(nbf, iat)', 'nbf']],
    [
      'accepts a bound token as plain',
      ['claims.cnf === undefined ? undefined : thumbprintOf(claims.cnf)', 'undefined'],
    ],
    [
      'accepts an unknown binding',
      ["if (boundTo === null) return 'binding_not_proven'", nothing],
      [
        'notBefore: Math.max(nbf, iat), boundTo }',
        'notBefore: Math.max(nbf, iat), boundTo: boundTo ?? undefined }',
      ],
    ],
    ['accepts a binding beside an unknown one', [' || Object.keys(cnf).length !== 1', nothing]],
    ['does not freeze a caller', ['Object.freeze(caller)', 'caller']],
    [
      'does not check the expiry',
      ["if (!(now < expiresAt + toleranceSeconds)) return 'expired'", nothing],
    ],
    ['has no tolerance at the end', ['expiresAt + toleranceSeconds', 'expiresAt']],
    ['is a second late at the end', ['now < expiresAt', 'now <= expiresAt']],
    [
      'does not check the start',
      ["if (!(now >= notBefore - toleranceSeconds)) return 'not_yet_valid'", nothing],
    ],
    ['has no tolerance at the start', ['notBefore - toleranceSeconds', 'notBefore']],
    ['is a second late at the start', ['now >= notBefore', 'now > notBefore']],
    [
      'accepts a time that cannot be compared',
      ['!(now < expiresAt + toleranceSeconds)', 'now >= expiresAt + toleranceSeconds'],
    ],
  ]),
]
