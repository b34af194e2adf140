import { type Mutant, mutantsOf } from './mutant.ts'

const nothing = ''

/** Ways to cache too much, to answer wrongly, or to leave an unguarded path. */
export const gateMutants: readonly Mutant[] = [
  ...mutantsOf('bearer-credentials.ts', [
    ['uses the first of several fields', ['values.length > 1 ? repeated : ', nothing]],
    ['ignores a token in the query', ['if (hasTokenInQuery(target)) return inQuery', nothing]],
    ['ignores a token in the query by an encoded name', [" && !text.includes('%')", nothing]],
    [
      'uses the first of several words',
      [
        "if (token === '' || token.includes(' ') ||",
        "if (token.includes(' ')) return { token: token.split(' ', 1)[0] ?? '', authorization }\n  if (token === '' ||",
      ],
    ],
    [
      'takes a tab for a space',
      [
        'while (authorization.charCodeAt(start) === spaceCode)',
        'while (/[ \\t]/.test(authorization[start] ?? ""))',
      ],
    ],
    [
      'keeps a token in the cache for each number of spaces',
      ['return start === scheme.length + 1', 'return start > 0'],
    ],
    ['accepts a scheme without a token', ["token === '' || ", nothing]],
    ['compares the scheme with case', [" && scheme.toLowerCase() !== 'bearer'", nothing]],
    [
      'accepts any scheme',
      ["if (scheme !== 'Bearer' && scheme.toLowerCase() !== 'bearer') {", 'if (false) {'],
    ],
    [
      'ignores a bearer token after another scheme',
      ['/,\\s*bearer(\\s|$)/i.test(authorization) ? repeated : noCredentials', 'noCredentials'],
    ],
  ]),
  ...mutantsOf('refusal.ts', [
    [
      'distinguishes an unknown key from a bad signature',
      ['key_unknown: unverifiable', "key_unknown: invalidToken('The key is unknown')"],
    ],
    ['answers a missing role with 401', ['    status: 403,', '    status: 401,']],
    ['answers an outage with 401', ['    status: 503,', '    status: 401,']],
    [
      'sends an error code for a request without credentials',
      ["if (challenge !== 'bare') parameters", 'parameters'],
    ],
    ['changes the text of contract C88', ["'Access is denied'", "'Access denied'"]],
    ['allows caches to store refusals', ["'cache-control': 'no-store',", nothing]],
    ['omits the resource metadata', ['if (resourceMetadataUrl !== undefined) {', 'if (false) {']],
    [
      'does not freeze refusals',
      ['return [reason, Object.freeze(refusal)]', 'return [reason, refusal]'],
    ],
  ]),
  ...mutantsOf('cache/verified-token-cache.ts', [
    [
      'compares only the hash',
      [
        'if (entry?.authorization !== authorization) return undefined',
        'if (entry === undefined) return undefined',
      ],
    ],
    [
      'hashes only the claims of a token',
      [
        'for (let index = Math.max(0, text.length - hashedCharacters); index < text.length; index += 1) {',
        "for (let index = text.indexOf('.') + 1; index < text.lastIndexOf('.'); index += 1) {",
      ],
      [
        'if (entry?.authorization !== authorization) return undefined',
        'if (entry === undefined) return undefined',
      ],
    ],
    [
      'caches without a limit',
      ['if (this.#entries.length < this.#capacity) return', 'if (true) return'],
    ],
    ['does not note a use', ['    this.#use(slot)\n    return entry', '    return entry']],
    [
      'replaces the more recently used token',
      ['this.#lastUseOf(slot) < this', 'this.#lastUseOf(slot) > this'],
    ],
    ['caches with a capacity of 0', ['if (this.#capacity === 0) return', nothing]],
    [
      'keeps the tokens of a removed key',
      ['if (!this.#entries[slot]?.key.isPublished) this.#deleteSlot(slot)', nothing],
    ],
    [
      'skips the token that fills a gap',
      [
        'let slot = this.#entries.length - 1; slot >= 0; slot -= 1',
        'let slot = 0; slot < this.#entries.length; slot += 1',
      ],
    ],
    [
      'loses the token that fills a gap',
      ['      this.#slotOfHash.set(this.#hashIn(last), slot)\n', nothing],
    ],
    [
      'deletes another token with the same hash',
      [' && this.#entries[slot]?.authorization === authorization', nothing],
    ],
    [
      'cannot delete one token',
      [
        '      this.#deleteSlot(slot)\n    }\n  }\n\n  /** Deletes every',
        '    }\n  }\n\n  /** Deletes every',
      ],
    ],
  ]),
  ...mutantsOf('guard.ts', [
    [
      'starts on a Node that is too old',
      ['if (Promise.withResolvers === undefined)', 'if (false)'],
    ],
    [
      'does not check the role',
      ['requiredRole !== anyCaller && !caller.roles.includes(requiredRole)', 'false'],
    ],
    [
      'does not check the role of a cached token',
      ['requiredRole !== anyCaller &&', 'requiredRole !== anyCaller && !isCached &&'],
    ],
    [
      'accepts one role in place of another',
      ['!caller.roles.includes(requiredRole)', 'caller.roles.length === 0'],
    ],
    [
      'accepts a cached token after its expiry',
      ['if (fault !== undefined) {', 'if (fault !== undefined && !isCached) {'],
    ],
    [
      'caches a token outside its validity period',
      [
        '    if (fault !== undefined) {\n',
        '    if (!isCached) cache.add(verified)\n    if (fault !== undefined) {\n',
      ],
    ],
    [
      'accepts cached tokens of a revoked key',
      ['cached?.key.isPublished && ', 'cached && '],
      ["if (event.type === 'key_gone') cache.deleteUnpublished()", nothing],
    ],
    [
      'keeps the tokens of a revoked key in memory',
      ["if (event.type === 'key_gone') cache.deleteUnpublished()", nothing],
    ],
    [
      'does not read the keys of this process for a cached token',
      ['    cached?.keySource.update()\n', nothing],
    ],
    [
      'accepts a cached token with keys above their maximum age',
      [' && cached.keySource.isUsable', nothing],
    ],
    ['does not cache', ['    if (!isCached) cache.add(verified)\n', nothing]],
    [
      'lets an exception of the listener change a decision',
      [
        '    try {\n      settings.listener?.(event)\n    } catch {',
        '    settings.listener?.(event)\n    try {\n    } catch {',
      ],
    ],
    ['does not report refusals', ["    emit({ type: 'refused', reason })\n", nothing]],
    [
      'accepts bound tokens where bindings are refused',
      ["settings.certificateBinding !== 'refused' && ", nothing],
    ],
    [
      'does not check the certificate of a bound token',
      ['boundTo === credentials.certificateThumbprint', 'true'],
    ],
    [
      'accepts plain tokens where a binding is required',
      ["return settings.certificateBinding !== 'required'", 'return true'],
    ],
    [
      'does not send retry-after',
      [
        "withHeader(refuse('keys_unavailable'), 'retry-after',",
        "withHeader(refuse('keys_unavailable'), 'x-retry-after',",
      ],
    ],
    [
      'does not wait for the key of a new token',
      [
        "if (verified.reason !== 'key_pending' || !mayWait) return refuseFailure(verified)",
        'return refuseFailure(verified)',
      ],
    ],
    ['is ready without keys', ['updatedKeySources().every(({ isUsable }) => isUsable)', 'true']],
  ]),
  ...mutantsOf('options-schema.ts', [
    [
      'accepts unknown options',
      ['const guardOptions = z.strictObject(', 'const guardOptions = z.object('],
    ],
    [
      'accepts unknown options of issuers',
      ['const trustedIssuer = z\n  .strictObject(', 'const trustedIssuer = z\n  .object('],
    ],
    [
      'accepts any tolerance',
      ['clockToleranceSeconds: seconds(0, 60)', 'clockToleranceSeconds: z.number()'],
    ],
    ['accepts no audience', ['audiences: z.array(name).min(1)', 'audiences: z.array(name)']],
    [
      'accepts a realm with quotes',
      ['.regex(/^[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]+$/', '.regex(/^.*$/s'],
    ],
  ]),
  ...mutantsOf('entra.ts', [
    [
      'accepts v1.0 tokens for the bare application id',
      ['audiences: [`api:', 'audiences: [apiApplicationId, `api:'],
    ],
    [
      'uses the v2.0 address as the v1.0 issuer',
      ["isLoopback(authUrl) ? authUrl : 'https://sts.windows.net'", 'authUrl'],
    ],
    ['refuses v2.0 tokens by default', [".default(['1.0', '2.0'])", ".default(['1.0'])"]],
    [
      'accepts v2.0 tokens for the audience of v1.0 tokens',
      ['audiences: [apiApplicationId]', "audiences: ['api://'.concat(apiApplicationId)]"],
    ],
    ['takes a name that begins with localhost for this machine', ['\\[::1\\])$/', '\\[::1\\])/']],
    [
      'takes a name that ends in localhost for this machine',
      ['/^(localhost|127', '/(localhost|127'],
    ],
    ['takes a name that begins with 127. for this machine', ['127(\\.\\d{1,3}){3}', '127\\..*']],
    ['knows only 127.0.0.1', ['127(\\.\\d{1,3}){3}', '127\\.0\\.0\\.1']],
    ['does not know ::1', ['|\\[::1\\]', nothing]],
    ['does not know localhost', ['localhost|', nothing]],
    [
      'reads the text of a URL in place of its host',
      ["URL.parse(url)?.hostname ?? ''", "url.split('/')[2]?.replace(/:\\d+$/, '') ?? ''"],
    ],
    [
      'takes every provider for its own issuer',
      ['isLoopback(authUrl) ? authUrl', 'true ? authUrl'],
    ],
    ['ignores issuerUrl on this machine', ['issuerUrl ?? (isLoopback', '(isLoopback']],
  ]),
  ...mutantsOf('entra-from-environment.ts', [
    [
      'accepts test keys by a variable at any provider',
      ["read.testKeys === 'accepted' && !isLoopback(all.authUrl ?? '')", 'false'],
    ],
    [
      'accepts test keys without a provider',
      ["isLoopback(all.authUrl ?? '')", "isLoopback(all.authUrl ?? 'http://localhost')"],
    ],
    ['refuses test keys on this machine', [" && !isLoopback(all.authUrl ?? ''))", ')']],
    [
      'accepts test keys at a provider that only the variable names',
      ["isLoopback(all.authUrl ?? '')", "isLoopback(env.AUTH_URL ?? all.authUrl ?? '')"],
    ],
    [
      'lets a variable win over an option',
      [
        '{ ...given, ...read }',
        '{ ...given, ...read, ...(env.AUTH_URL ? { authUrl: env.AUTH_URL } : {}) }',
      ],
    ],
    [
      'takes an empty variable for a value',
      [' && env[variables[name][0]])', ' && env[variables[name][0]] !== undefined)'],
    ],
    ['forgets the faults of the options', ['    faults.push(...error.faults)\n', nothing]],
  ]),
  ...mutantsOf('routes/route-table.ts', [
    ['accepts a route without a role', ['if (!roles.includes(role)) {', 'if (false) {']],
  ]),
  ...mutantsOf('routes/below-prefix.ts', [
    [
      'guards every path that starts with the letters of the prefix',
      ['}/`.toLowerCase())', '}`.toLowerCase())'],
    ],
    ['compares plain paths with case', ['}/`.toLowerCase().starts', '}/`.starts']],
    ['takes an encoded path for a plain one', ['[\\w-]+(?:', '[\\w%-]+(?:']],
    ['takes doubled slashes for a plain path', ['(?:\\/[\\w-]+(', '(?:\\/[\\w/-]*(']],
    [
      'leaves to others what is encoded too often',
      ['if (text === undefined) return true', 'if (text === undefined) return false'],
    ],
    [
      'decodes only once',
      ['decoded(once, times - 1)', 'decoded(once, 0)'],
      ['times === 0 ? undefined : decoded', 'times === 0 ? once : decoded'],
    ],
    ['does not decode', ['if (once !== text) return', 'if (once === undefined) return']],
    ['takes a host for a part of the path', ['!text.startsWith(', 'false && text.startsWith(']],
    ['does not resolve two dots', ["|| segments.some((one) => one.startsWith('..'))", '|| false']],
    ['takes a parameter for no segment', ['if (next++ >= segments.length) return false', nothing]],
    ['takes a parameter for any segments', ['isPlain && /^:', 'false && /^:']],
    ['takes a parameter for one segment in each reading', ['isPlain && /^:', '/^:']],
    ['takes a pattern for its text', ['/[:*{}()[\\]+^$|]/.test(wanted)', 'false']],
    [
      'finds the prefix below other paths',
      [
        'if (found < 0 || (found > next && !isAnywhere)) return false',
        'if (found < 0) return false',
      ],
    ],
    ['finds the prefix only at the start', ['(found > next && !isAnywhere)', 'found > next']],
    [
      'finds the segments of the prefix in any order',
      ['index >= next && isSpelling', 'isSpelling'],
    ],
    ['compares with case', ['.toUpperCase().toLowerCase()', nothing]],
    ['does not compose characters', [".normalize('NFKC')", nothing]],
    ['reads control characters', ['\\p{Cc}', nothing]],
    ['reads characters that file systems ignore', ['\\p{Default_Ignorable_Code_Point}', nothing]],
    ['takes a backslash for a letter', ['/[/\\\\?#]/', '/[/?#]/']],
    ['takes an encoded question mark for a letter', ['/[/\\\\?#]/', '/[/\\\\#]/']],
    ['takes a number sign for a letter', ['/[/\\\\?#]/', '/[/\\\\?]/']],
    [
      'keeps segments that mean nothing',
      ['.filter((segment) => !/^\\.? *(?:;|$)/.test(segment))', nothing],
    ],
    ['keeps a dot segment', ['/^\\.? *(?:;|$)/', '/^ *(?:;|$)/']],
    ['reads parameters', ['/^(?:;|:[:$]|', '/^(?::[:$]|']],
    ['reads streams of Windows', ['|:[:$]|', '|']],
    ['reads dots and spaces at the end of a name', ['[. ]*$', '$']],
  ]),
  ...mutantsOf('routes/exact-path-router.ts', [
    [
      'reveals missing paths without a token',
      [
        'return whenDecided(\n',
        'if (route === undefined) return refuseMissing(path)\n      return whenDecided(\n',
      ],
    ],
    ['answers HEAD as an unknown method', ["method === 'HEAD' ? 'GET' : method", 'method']],
  ]),
  ...mutantsOf('adapters/request-credentials.ts', [
    [
      'reads only the first Authorization field',
      ['if (first !== undefined) return [first, value]', 'if (first !== undefined) return first'],
    ],
    [
      'reads only the last Authorization field',
      ['if (first !== undefined) return [first, value]', nothing],
    ],
    [
      'encodes the certificate thumbprint in hexadecimal',
      ["return digest && Buffer.from(digest, 'hex').toString('base64url')", 'return digest'],
    ],
  ]),
  ...mutantsOf('adapters/hono.ts', [
    [
      'reveals missing paths without a token',
      [
        'const decision = await guard.decide(readRequestCredentials(c.req.raw, c.env), anyCaller)\n    if (decision.outcome ===',
        "const decision = await guard.decide(readRequestCredentials(c.req.raw, c.env), anyCaller)\n    if (c.req.path !== '' && decision.outcome === 'admitted' && decision.outcome !==",
      ],
    ],
  ]),
  ...mutantsOf('adapters/hono.ts', [
    [
      'ignores the client certificate',
      ['return incoming === undefined', 'return incoming !== null'],
    ],
  ]),
  ...mutantsOf('adapters/express.ts', [
    ['compares paths without case', ['caseSensitive: true', 'caseSensitive: false']],
    ['accepts a slash at the end', ['strict: true', 'strict: false']],
    [
      'continues after a refusal',
      [
        "if (decision.outcome === 'refused') return sendRefusal(response, decision)",
        "if (decision.outcome === 'refused') return next()",
      ],
    ],
  ]),
  ...mutantsOf('adapters/fastify.ts', [
    [
      'reveals missing paths without a token',
      [
        'if (request.is404) notFound.call(app, request, reply, next)\n      else next()',
        'void notFound\n      next()',
      ],
    ],
    ['does not guard declared routes', ['        onRequest: hookFor(guard, role),\n', nothing]],
    [
      'allows other routes below the prefix',
      ['if (guarded in this) return next()', 'if (guarded in app || true) return next()'],
    ],
    ['leaves undeclared paths to other routes', [", '/', '/*']) rowOf", ", '/']) rowOf"]],
    [
      'registers a route twice without a slash at the end',
      ['if (options.ignoreTrailingSlash)', 'if (false)'],
    ],
    [
      'registers a route twice without doubled slashes',
      ['if (options.ignoreDuplicateSlashes)', 'if (false)'],
    ],
    ['registers a route twice without case', ['options.caseSensitive === false', 'false']],
    ['registers a route twice with two names of a parameter', [".replace(/:\\w+/g, ':')", nothing]],
    ['reads old options only', ['...initialConfig, ...routerOptions', '...initialConfig']],
    ['does not name two rows of one route', ['if (row.methods.includes(method))', 'if (false)']],
    ['does not name a prefix in use', ['if (prefixes.has(key))', 'if (false)']],
    [
      'takes a prefix of another app for one in use',
      ['prefixesOf.get(app.server) ?? new Set()', 'prefixesOf.get(prefixesOf) ?? new Set()'],
      ['prefixesOf.set(app.server', 'prefixesOf.set(prefixesOf'],
    ],
  ]),
]
