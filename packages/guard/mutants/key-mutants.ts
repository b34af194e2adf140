import { type Mutant, mutantsOf } from './mutant.ts'

const nothing = ''

/** Ways to rely on a key that should not be relied on, or to ask for keys too often or never. */
export const keyMutants: readonly Mutant[] = [
  ...mutantsOf('keys/verification-key.ts', [
    [
      'takes every signature',
      ["verify('RSA-SHA256', Buffer.from(input, 'latin1'), key.publicKey, signature)", 'true'],
    ],
    ['takes keys of 1024 bits', ['bits < 2048', 'bits < 1024']],
    ['takes keys of any length', ["if (bits > 8192) return 'modulus_too_large'", nothing]],
    ['takes the exponent 3', ['exponent >= 65537n', 'exponent >= 3n']],
    ['takes exponents of any length', ['exponent < 1n << 32n', 'exponent < 1n << 4096n']],
    ['takes even exponents', [' && exponent % 2n === 1n', nothing]],
    ['takes keys of the flawed generator', ["if (isRoca(modulus)) return 'modulus_roca'", nothing]],
    [
      'takes keys for encryption',
      ["if (use !== undefined && use !== 'sig') return false", nothing],
    ],
    [
      'takes keys for other operations',
      ["key_ops.length === 1 && key_ops[0] === 'verify'", 'key_ops.length > 0'],
    ],
    [
      'takes keys for more than verifying',
      ["key_ops.length === 1 && key_ops[0] === 'verify'", "key_ops.includes('verify')"],
    ],
    [
      'takes keys of other algorithms',
      ["if (alg !== undefined && alg !== 'RS256') return 'algorithm_not_rs256'", nothing],
    ],
    ['takes keys of other types', ["if (kty !== 'RSA') return 'type_not_rsa'", nothing]],
    [
      'takes private keys',
      ["if (privateMembers.some((member) => member in jwk)) return 'private_members'", nothing],
    ],
    [
      'takes keys of other tenants',
      [
        "if (tenantId !== undefined && !namesTenant(issuer, tenantId)) return 'other_tenant'",
        nothing,
      ],
    ],
    [
      'takes keys of a tenant whose name only begins as ours',
      ['segments.includes(tenantId)', 'issuer.includes(tenantId)'],
    ],
    ['takes an even modulus', [' || modulus % 2n === 0n', nothing]],
    ['takes a number with a leading zero', [' || bytes[0] === 0', nothing]],
    ['takes a kid of any length', [' && Buffer.byteLength(kid) <= maxKidBytes', nothing]],
    ['counts the letters of a kid, not its bytes', ['Buffer.byteLength(kid)', 'kid.length']],
  ]),
  ...mutantsOf('keys/roca.ts', [
    ['finds the flaw in one residue', ['primes.every', 'primes.some']],
  ]),
  ...mutantsOf('keys/key-set.ts', [
    [
      'takes sets of any number of keys',
      ["if (jwks.length > maxKeys) return 'too_many_keys'", nothing],
    ],
    ['uses the last of two keys of one kid', ['keys.delete(kid)', nothing]],
    [
      'lets an unusable set replace a good one',
      ["return keys.size > 0 ? { keys, unused } : 'no_usable_key'", 'return { keys, unused }'],
    ],
    [
      'keeps the old key when another takes its kid',
      ['known?.material === key.material ? known : key', 'known ?? key'],
    ],
    [
      'forgets every token at each refresh',
      ['known?.material === key.material ? known : key', 'key'],
    ],
  ]),
  ...mutantsOf('keys/key-set-request.ts', [
    ['follows redirects', ["redirect: 'manual'", "redirect: 'follow'"]],
    ['takes an answer of any status', ['response.status !== 200', 'response.status < 200']],
    ['takes every good status', ['response.status !== 200', '!response.ok']],
    ['reads without end', ['if (size > maxBytes)', 'if (size > 1e12)']],
    ['waits without end', ['controller.abort(error)\n    timeout.reject(error)', nothing]],
    [
      'trusts that an aborted fetch comes back',
      ['await Promise.race([response, timeout.promise])', 'await response'],
    ],
  ]),
  ...mutantsOf('keys/remote-key-source.ts', [
    [
      'counts the cooldown from the last success',
      [
        'this.#runtime.monotonicMs() - this.#lastAttemptMs',
        'this.#runtime.monotonicMs() - this.#lastSuccessMs',
      ],
    ],
    [
      'has no cooldown',
      ['sinceAttemptMs >= this.settings.cooldownSeconds * 1000', 'sinceAttemptMs >= 0'],
    ],
    [
      'never looks again for an unknown kid',
      [
        'sinceAttemptMs >= this.settings.cooldownSeconds * 1000',
        'sinceAttemptMs === Number.POSITIVE_INFINITY',
      ],
    ],
    [
      'fetches once for each that waits',
      ['if (this.#attempt !== undefined) return this.#attempt\n', nothing],
    ],
    [
      'fetches twice when it is started twice',
      ['return this.#attempt ?? this.#refresh()', 'return this.#refresh()'],
    ],
    ['retries without backing off', ['firstRetryMs * 2 ** (this.#failures - 1)', 'firstRetryMs']],
    [
      'backs off without bound',
      [
        'Math.min(firstRetryMs * 2 ** (this.#failures - 1), maxMs)',
        'firstRetryMs * 2 ** (this.#failures - 1)',
      ],
    ],
    [
      'backs off as long before its first set',
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
      'relies on a stale set for ever',
      ['return this.ageSeconds < this.settings.ceilingSeconds', 'return this.#keys.size > 0'],
    ],
    [
      'says that an unchecked token is bad',
      ['return this.#failures === 0 && this.isUsable', 'return true'],
    ],
    ['measures by the wall clock', ['monotonicMs()', 'wallClockMs()']],
    ['tells again and again that it is stale', ['      this.#isStaleReported = true\n', nothing]],
    [
      'does not stop',
      ['    if (this.#isStopped) return\n', nothing],
      ['    this.#cancelNext()\n  }\n\n  /** The attempt', '  }\n\n  /** The attempt'],
    ],
    ['tells callers to come back at once', ['Math.max(1, Math.ceil(', 'Math.max(0, Math.floor(']],
  ]),
  ...mutantsOf('keys/key-source.ts', [
    ['does not mark a key that is gone', ['    key.isPublished = false\n', nothing]],
    [
      'does not tell of a key that is gone',
      ["    emit({ type: 'key_gone', url, kid })\n", nothing],
    ],
  ]),
  ...mutantsOf('keys/local-key-source.ts', [
    [
      'keeps the keys that it has read once',
      ['if (isSameList(published, this.#lastRead)) return', 'if (this.#lastRead) return'],
    ],
    ['keeps its keys when there is no usable one', ['    this.#replace(empty)\n', nothing]],
    [
      'reads a list of the same length as the same list',
      ['item === other[index]', 'item === item'],
    ],
    ['confirms keys that it does not have', ['return this.isUsable\n', 'return true\n']],
  ]),
  ...mutantsOf('token-verifier.ts', [
    ['uses keys of this process without reading them', ['    keySource.update()\n', nothing]],
    [
      'forgets the signature',
      [
        "if (!isSignedBy(key, read.signingInput, read.signature)) return { reason: 'signature_invalid' }",
        nothing,
      ],
    ],
    [
      'holds the keys of all issuers in one place',
      ['sources.find((source) => hasSameKeys(source.issuer, issuer))', 'sources[0]'],
    ],
    ['fetches one key set once for each issuer', ['sharing?.keySource ?? ', nothing]],
    [
      'verifies with a set beyond its ceiling',
      [
        'keySource.isUsable ? keySource.keys.get(read.kid) : undefined',
        'keySource.keys.get(read.kid)',
      ],
    ],
    [
      'takes any key where the kid is unknown',
      [
        'keySource.keys.get(read.kid) : undefined',
        '(keySource.keys.get(read.kid) ?? [...keySource.keys.values()][0]) : undefined',
      ],
    ],
    ['answers an outage with 401', ['keySource.isConfirmed', 'true']],
    ['answers an unknown key with 503', ['keySource.isConfirmed', 'false']],
  ]),
]
