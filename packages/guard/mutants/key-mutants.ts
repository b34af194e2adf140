import { type Mutant, mutantsOf } from './mutant.ts'

const nothing = ''

/** Ways to trust an unsafe key, or to request keys too often or never. */
export const keyMutants: readonly Mutant[] = [
  ...mutantsOf('keys/signature-check.ts', [
    [
      'accepts every signature',
      ["verify('RSA-SHA256', Buffer.from(input, 'latin1'), key, signature)", 'true'],
    ],
    [
      'accepts every signature without node:crypto',
      ['subtle.verify(rs256, key, signature, encoder.encode(input))', 'true'],
    ],
    [
      'accepts every exponent without node:crypto',
      ['if (publicKey.e !== exponent65537) return undefined', nothing],
    ],
  ]),
  ...mutantsOf('keys/verification-key.ts', [
    ['accepts keys of 1024 bits', ['bits < 2048', 'bits < 1024']],
    ['accepts keys of any size', ["if (bits > 8192) return 'modulus_too_large'", nothing]],
    ['accepts the exponent 3', ['exponent >= 65537n', 'exponent >= 3n']],
    ['accepts exponents of any size', ['exponent < 1n << 32n', 'exponent < 1n << 4096n']],
    ['accepts even exponents', [' && exponent % 2n === 1n', nothing]],
    [
      'accepts keys of the flawed generator',
      ["if (isRoca(modulus)) return 'modulus_roca'", nothing],
    ],
    [
      'accepts keys for encryption',
      ["if (use !== undefined && use !== 'sig') return false", nothing],
    ],
    [
      'accepts keys for other operations',
      ["key_ops.length === 1 && key_ops[0] === 'verify'", 'key_ops.length > 0'],
    ],
    [
      'accepts keys for other operations besides verify',
      ["key_ops.length === 1 && key_ops[0] === 'verify'", "key_ops.includes('verify')"],
    ],
    [
      'accepts keys of other algorithms',
      ["if (alg !== undefined && alg !== 'RS256') return 'algorithm_not_rs256'", nothing],
    ],
    ['accepts keys of other types', ["if (kty !== 'RSA') return 'type_not_rsa'", nothing]],
    [
      'accepts private keys',
      ["if (privateMembers.some((member) => member in jwk)) return 'private_members'", nothing],
    ],
    [
      'accepts keys of other tenants',
      [
        "if (tenantId !== undefined && !namesTenant(issuer, tenantId)) return 'other_tenant'",
        nothing,
      ],
    ],
    [
      'accepts keys of a tenant that only starts with the expected one',
      ['segments.includes(tenantId)', 'issuer.includes(tenantId)'],
    ],
    ['accepts an even modulus', [' || modulus % 2n === 0n', nothing]],
    ['accepts a number with a leading zero', [' || bytes[0] === 0', nothing]],
    ['accepts a kid of any length', [' && utf8.encode(kid).length <= maxKidBytes', nothing]],
    ['counts the letters of a kid, not its bytes', ['utf8.encode(kid).length', 'kid.length']],
  ]),
  ...mutantsOf('keys/roca.ts', [
    ['checks one residue only for the flawed generator', ['primes.every', 'primes.some']],
  ]),
  ...mutantsOf('keys/key-set.ts', [
    [
      'accepts sets of any number of keys',
      ['for (const jwk of jwks.slice(0, maxKeys))', 'for (const jwk of jwks)'],
    ],
    ['does not name keys above the limit', ['.slice(maxKeys, 2 * maxKeys)', '.slice(0, 0)']],
    ['names any number of keys', ['.slice(maxKeys, 2 * maxKeys)', '.slice(maxKeys)']],
    ['uses the last of two keys of one kid', ['keys.delete(kid)', nothing]],
    [
      'replaces a good set by an unusable one',
      ["keys.size > 0 ? { keys, unused } : { fault: 'no_usable_key', unused }", '{ keys, unused }'],
    ],
    [
      'keeps the old key when another key has its kid',
      ['known?.material === key.material ? known : key', 'known ?? key'],
    ],
    [
      'drops every cached token at each refresh',
      ['known?.material === key.material ? known : key', 'key'],
    ],
  ]),
  ...mutantsOf('encoding/bounded-bytes.ts', [
    ['reads without a limit', ['if (size > maxBytes)', 'if (size > 1e12)']],
  ]),
  ...mutantsOf('keys/key-set-request.ts', [
    ['follows redirects', ["redirect: 'manual'", "redirect: 'follow'"]],
    ['accepts an answer with any status', ['if (status !== 200)', 'if (status < 200)']],
    ['accepts every 2xx status', ['if (status !== 200)', 'if (!response.ok)']],
    ['waits without a limit', ['controller.abort(error)\n    timeout.reject(error)', nothing]],
    [
      'waits for an aborted fetch',
      ['await Promise.race([response, timeout.promise])', 'await response'],
    ],
  ]),
  ...mutantsOf('keys/remote-key-source.ts', [
    [
      'takes each error for one of a key set',
      ['cause instanceof KeySetError ? cause :', 'true ? (cause as KeySetError) :'],
    ],
    [
      'starts the cooldown at the last success',
      [
        'this.#runtime.monotonicMs() - this.#lastAttemptMs',
        'this.#runtime.monotonicMs() - this.#lastSuccessMs',
      ],
    ],
    [
      'has no cooldown',
      ['sinceAttemptMs < this.settings.cooldownSeconds * 1000', 'sinceAttemptMs < 0'],
    ],
    [
      'never refreshes for an unknown kid',
      [
        'sinceAttemptMs < this.settings.cooldownSeconds * 1000',
        'sinceAttemptMs !== Number.POSITIVE_INFINITY',
      ],
    ],
    [
      'fetches once for each waiting request',
      ['if (this.#attemptInFlight !== undefined) return this.#attemptInFlight\n', nothing],
    ],
    [
      'fetches twice after two starts',
      ['return this.#attemptInFlight ?? this.#refresh()', 'return this.#refresh()'],
    ],
    ['retries without backoff', ['firstRetryMs * 2 ** (this.#failures - 1)', 'firstRetryMs']],
    [
      'has no maximum backoff',
      [
        'Math.min(firstRetryMs * 2 ** (this.#failures - 1), maxMs)',
        'firstRetryMs * 2 ** (this.#failures - 1)',
      ],
    ],
    [
      'has the same maximum backoff before its first set',
      ['this.#keys.size > 0 ? maxRetryMs : maxRetryBeforeFirstSetMs', 'maxRetryMs'],
    ],
    ['gives up after a failure', ['    this.#scheduleNext(nextAttemptMs)\n', nothing]],
    [
      'does not refresh in the background',
      [
        '    this.#scheduleNext(refreshSeconds * 1000 * (1 - 0.1 * this.#runtime.random()))\n',
        nothing,
      ],
    ],
    [
      'refreshes every instance of a fleet at once',
      [' * (1 - 0.1 * this.#runtime.random())', nothing],
    ],
    [
      'retries from every instance of a fleet at once',
      [' * (1 - 0.2 * this.#runtime.random())', nothing],
    ],
    [
      'drops its keys when a refresh fails',
      ['    this.#failures += 1\n', '    this.#failures += 1\n    this.#keys = new Map()\n'],
    ],
    [
      'uses a stale set without a limit',
      ['return this.ageSeconds < this.settings.ceilingSeconds', 'return this.#keys.size > 0'],
    ],
    [
      'refuses an unchecked token as invalid',
      ['return this.#failures === 0 && this.isUsable', 'return true'],
    ],
    ['drops an attempt when its request ends', ['    this.#runtime.waitUntil(attempt)\n', nothing]],
    ['measures ages with the wall clock', ['monotonicMs()', 'wallClockMs()']],
    ['reports again and again that it is stale', ['      this.#isStaleReported = true\n', nothing]],
    [
      'does not stop',
      ['    if (this.#isStopped) return\n', nothing],
      ['    this.#cancelNext()\n  }\n\n  /** The attempt', '  }\n\n  /** The attempt'],
    ],
    ['tells callers to retry at once', ['Math.max(1, Math.ceil(', 'Math.max(0, Math.floor(']],
  ]),
  ...mutantsOf('keys/key-source.ts', [
    ['does not mark a removed key', ['    key.isPublished = false\n', nothing]],
    ['does not report a removed key', ["    emit({ type: 'key_gone', url, kid })\n", nothing]],
  ]),
  ...mutantsOf('keys/local-key-source.ts', [
    [
      'keeps the keys of its first read',
      ['if (isSameList(published, this.#lastRead)) return', 'if (this.#lastRead) return'],
    ],
    [
      'keeps its keys when no key is usable',
      ['    this.#replace({ ...empty, unused: error.unused })\n', nothing],
    ],
    [
      'accepts another list of the same length for the same list',
      ['item === other[index]', 'item === item'],
    ],
    ['reports keys as current that it does not have', ['return this.isUsable\n', 'return true\n']],
  ]),
  ...mutantsOf('token-verifier.ts', [
    ['uses keys of this process without an update', ['    keySource.update()\n', nothing]],
    [
      'does not check the signature',
      ["if (!isSigned) return { reason: 'signature_invalid' }", nothing],
    ],
    [
      'admits a token whose key leaves the key set during the check',
      ['if (!key.isPublished || !keySource.isUsable) return missingKey(keySource)', nothing],
    ],
    [
      'has one key source for all issuers',
      ['sources.find((source) => hasSameKeys(source.issuer, issuer))', 'sources[0]'],
    ],
    ['fetches one key set once for each issuer', ['sharing?.keySource ?? ', nothing]],
    [
      'verifies with a set above its maximum age',
      [
        'keySource.isUsable ? keySource.keys.get(read.kid) : undefined',
        'keySource.keys.get(read.kid)',
      ],
    ],
    [
      'uses any key for an unknown kid',
      [
        'keySource.keys.get(read.kid) : undefined',
        '(keySource.keys.get(read.kid) ?? [...keySource.keys.values()][0]) : undefined',
      ],
    ],
    ['answers an outage with 401', ['keySource.isConfirmed', 'true']],
    ['answers an unknown key with 503', ['keySource.isConfirmed', 'false']],
  ]),
]
