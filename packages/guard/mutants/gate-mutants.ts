import { type Mutant, mutantsOf } from './mutant.ts'

const nothing = ''

/** Ways to remember too much, to answer wrongly, or to leave a door beside the gate. */
export const gateMutants: readonly Mutant[] = [
  ...mutantsOf('bearer-credentials.ts', [
    ['takes the first of several fields', ['values.length > 1 ? repeated : ', nothing]],
    ['overlooks a token in the query', ['if (hasTokenInQuery(target)) return inQuery', nothing]],
    ['overlooks a token in the query by an encoded name', [" && !text.includes('%')", nothing]],
    [
      'takes the first of several words',
      [
        "token === '' || token.includes(' ') ? malformed : { token, authorization }",
        "token === '' ? malformed : { token: token.split(' ', 1)[0] ?? '', authorization }",
      ],
    ],
    ['takes a scheme and nothing after it', ["token === '' || ", nothing]],
    ['compares the scheme by case', [" && scheme.toLowerCase() !== 'bearer'", nothing]],
    [
      'takes any scheme',
      ["if (scheme !== 'Bearer' && scheme.toLowerCase() !== 'bearer') {", 'if (false) {'],
    ],
    [
      'overlooks a bearer token behind another scheme',
      ['/,\\s*bearer(\\s|$)/i.test(authorization) ? repeated : noCredentials', 'noCredentials'],
    ],
  ]),
  ...mutantsOf('refusal.ts', [
    [
      'tells an unknown key from a bad signature',
      ['key_unknown: unverifiable', "key_unknown: invalidToken('The key is unknown')"],
    ],
    ['answers a missing role with 401', ['    status: 403,', '    status: 401,']],
    ['answers an outage with 401', ['    status: 503,', '    status: 401,']],
    [
      'challenges where no credentials were sent with an error code',
      ["if (challenge !== 'bare') parameters", 'parameters'],
    ],
    ['changes the words of contract C88', ["'Access is denied'", "'Access denied'"]],
    ['lets a cache keep refusals', ["'cache-control': 'no-store',", nothing]],
    [
      'does not name the resource metadata',
      ['if (resourceMetadataUrl !== undefined) {', 'if (false) {'],
    ],
    [
      'leaves refusals open to change',
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
      'finds a token by its claims alone',
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
      'caches without bound',
      ['if (this.#entries.length < this.#capacity) return', 'if (true) return'],
    ],
    ['does not note a use', ['    this.#use(slot)\n    return entry', '    return entry']],
    [
      'replaces the more recently used token',
      ['this.#lastUseOf(slot) < this', 'this.#lastUseOf(slot) > this'],
    ],
    ['caches with a capacity of 0', ['if (this.#capacity === 0) return', nothing]],
    [
      'keeps the tokens of a key that is gone',
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
      'forgets the role',
      ['requiredRole !== anyCaller && !caller.roles.includes(requiredRole)', 'false'],
    ],
    [
      'asks a remembered token for no role',
      ['requiredRole !== anyCaller &&', 'requiredRole !== anyCaller && !isCached &&'],
    ],
    [
      'lets one role stand in for another',
      ['!caller.roles.includes(requiredRole)', 'caller.roles.length === 0'],
    ],
    [
      'lets a remembered token live on after its expiry',
      ['if (fault !== undefined) {', 'if (fault !== undefined && !isCached) {'],
    ],
    [
      'remembers a token that does not hold',
      [
        '    if (fault !== undefined) {\n',
        '    if (!isCached) cache.add(verified)\n    if (fault !== undefined) {\n',
      ],
    ],
    [
      'lets a revoked key keep its tokens',
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
    ['answers a remembered token beyond the ceiling', [' && cached.keySource.isUsable', nothing]],
    ['does not remember', ['    if (!isCached) cache.add(verified)\n', nothing]],
    [
      'lets whoever watches keep out',
      [
        '    try {\n      settings.listener?.(event)\n    } catch {',
        '    settings.listener?.(event)\n    try {\n    } catch {',
      ],
    ],
    ['does not tell of refusals', ["    emit({ type: 'refused', reason })\n", nothing]],
    [
      'admits bound tokens where bindings are refused',
      ["settings.certificateBinding !== 'refused' && ", nothing],
    ],
    ['asks for no proof of a binding', ['boundTo === credentials.certificateThumbprint', 'true']],
    [
      'admits plain tokens where a binding is required',
      ["return settings.certificateBinding !== 'required'", 'return true'],
    ],
    [
      'does not say when to come back',
      [
        "withHeader(refuse('keys_unavailable'), 'retry-after',",
        "withHeader(refuse('keys_unavailable'), 'x-retry-after',",
      ],
    ],
    [
      'does not wait for the key of a new token',
      [
        "if (verified.reason !== 'key_pending') return refuseFailure(verified)",
        'return refuseFailure(verified)',
      ],
    ],
    ['is ready without keys', ['updatedKeySources().every(({ isUsable }) => isUsable)', 'true']],
  ]),
  ...mutantsOf('guard-options.ts', [
    [
      'takes options that nobody reads',
      ['const guardOptions = z.strictObject(', 'const guardOptions = z.object('],
    ],
    [
      'takes issuers with options that nobody reads',
      ['const trustedIssuer = z\n  .strictObject(', 'const trustedIssuer = z\n  .object('],
    ],
    [
      'takes any tolerance',
      ['clockToleranceSeconds: seconds(0, 60)', 'clockToleranceSeconds: z.number()'],
    ],
    ['takes no audience', ['audiences: z.array(name).min(1)', 'audiences: z.array(name)']],
    [
      'takes a realm that breaks out of its quotes',
      ['.regex(/^[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]+$/', '.regex(/^.*$/s'],
    ],
  ]),
  ...mutantsOf('entra.ts', [
    [
      'takes v1.0 tokens for the bare application id',
      ['audiences: [`api:', 'audiences: [apiApplicationId, `api:'],
    ],
    [
      'looks for the v1.0 issuer at the v2.0 address',
      [`issuer: \`\${issuerUrl}/`, `issuer: \`\${authUrl}/`],
    ],
    ['takes v2.0 tokens unasked', [".default(['1.0'])", ".default(['1.0', '2.0'])"]],
  ]),
  ...mutantsOf('routes/route-table.ts', [
    ['opens a route that states no role', ['if (!roles.includes(role)) {', 'if (false) {']],
    [
      'guards only what begins with the letters of the prefix',
      [
        "path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')",
        "path.startsWith(prefix) && path[prefix.length] === '/'",
      ],
    ],
    [
      'guards what only begins with the letters of the prefix',
      [" && (path.length === prefix.length || path[prefix.length] === '/')", nothing],
    ],
  ]),
  ...mutantsOf('routes/exact-path-router.ts', [
    [
      'tells anybody what is not there',
      [
        'const decision = guard.decide(credentials, route?.role ?? anyCaller)',
        'if (route === undefined) return refuseMissing(path)\n      const decision = guard.decide(credentials, route?.role ?? anyCaller)',
      ],
    ],
    [
      'answers HEAD like a method that is not there',
      ["method === 'HEAD' ? 'GET' : method", 'method'],
    ],
  ]),
  ...mutantsOf('adapters/node-request-credentials.ts', [
    [
      'sees only the first Authorization field',
      ['if (first !== undefined) return [first, value]', 'if (first !== undefined) return first'],
    ],
    [
      'sees only the last Authorization field',
      ['if (first !== undefined) return [first, value]', nothing],
    ],
    [
      'takes a header for the certificate',
      [
        "return certificate && createHash('sha256').update(certificate.raw).digest('base64url')",
        "return certificate ? createHash('sha256').update(certificate.raw).digest('hex') : undefined",
      ],
    ],
  ]),
  ...mutantsOf('adapters/hono.ts', [
    [
      'tells anybody what is not there',
      [
        'const decision = await guard.decide(readRequestCredentials(c.req.raw, c.env), anyCaller)\n    if (decision.outcome ===',
        "const decision = await guard.decide(readRequestCredentials(c.req.raw, c.env), anyCaller)\n    if (c.req.path !== '' && decision.outcome === 'admitted' && decision.outcome !==",
      ],
    ],
  ]),
  ...mutantsOf('adapters/hono-request-credentials.ts', [
    [
      'knows of no certificate of the client',
      ['return incoming === undefined', 'return incoming !== null'],
    ],
  ]),
  ...mutantsOf('adapters/express.ts', [
    ['compares paths without case', ['caseSensitive: true', 'caseSensitive: false']],
    ['takes a slash at the end', ['strict: true', 'strict: false']],
    [
      'goes on after a refusal',
      [
        "if (decision.outcome === 'refused') return sendRefusal(response, decision)",
        "if (decision.outcome === 'refused') return next()",
      ],
    ],
  ]),
  ...mutantsOf('adapters/fastify.ts', [
    [
      'tells anybody what is not there',
      [
        'if (request.is404) notFound.call(app, request, reply, next)\n      else next()',
        'void notFound\n      next()',
      ],
    ],
    ['guards no route', ['        onRequest: authorize(role),\n', nothing]],
    [
      'lets other routes lie below the prefix',
      ['if (guarded in this) return next()', 'if (guarded in app || true) return next()'],
    ],
    ['leaves what is not declared to other routes', ["      ['/*', []],\n", nothing]],
  ]),
  ...mutantsOf('adapters/hono.ts', [
    ['has no route for what is not declared', ['app.all(', 'void (']],
  ]),
  ...mutantsOf('adapters/express.ts', [
    [
      'lets a path in another case go on to later routes',
      ['Router({ caseSensitive: false })', 'Router({ caseSensitive: true })'],
    ],
  ]),
  ...mutantsOf('routes/exact-path-router.ts', [
    [
      'guards only paths that are spelt like the prefix',
      ['isBelow(prefix, path) || mayBeBelow(prefix, path)', 'isBelow(prefix, path)'],
    ],
  ]),
]
