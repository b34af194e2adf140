import { mcpMutants } from './mcp-mutants.ts'
import { type Mutant, mutantsOf } from './mutant.ts'

const nothing = ''
/** Middleware that admits any caller. */
const anyCallerOf = (credentials: string) =>
  [
    `whenDecided(guard.decide(${credentials}, role)`,
    `whenDecided(guard.decide(${credentials}, anyCaller)`,
  ] as const

/** Ways to forget the guard in an adapter, and ways to overlook a route that has none. */
export const adapterMutants: readonly Mutant[] = [
  ...mutantsOf('adapters/hono.ts', [
    ['has no route for undeclared paths', ['app.all(', 'void (']],
    [
      'leaves another spelling of the prefix to later routes',
      ['(isBelow(prefix, c) ? notFound() : next())', 'next()'],
    ],
    ['guards the whole app with the prefix', ['if (!isBelow(prefix, c)) return next()', nothing]],
    ['takes the prefix for the whole path', ['outer + prefix, path', 'prefix, path']],
  ]),
  ...mutantsOf('adapters/express.ts', [
    [
      'leaves another spelling of the prefix to later routes',
      ['router.use((request, response, next)', 'router.use(prefix, (request, response, next)'],
    ],
    [
      'guards the whole app with the prefix',
      ['if (!isBelow(prefix, request)) return next()', nothing],
    ],
    ['reads only the original URL', ['mayBeBelow(prefix, request.url) ||', nothing]],
    [
      'reads only the URL that the app has changed',
      ['(request.url !== request.originalUrl &&', '(false &&'],
    ],
  ]),
  ...mutantsOf('routes/exact-path-router.ts', [
    [
      'guards only paths with the exact spelling of the prefix',
      ['mayBeBelow(prefix, target)', '(target + "/").startsWith(prefix + "/")'],
    ],
  ]),
  ...mutantsOf('adapters/express.ts', [
    ['requires no role in middleware', anyCallerOf('new NodeRequestCredentials(request)')],
    ['accepts a misspelt role at start', ['  checkRequirement(guard, role, prefix)\n', nothing]],
    ['does not pass on the caller', ['      response.locals.caller = decision\n', nothing]],
    ['does not mark middleware', ['markGuard<GuardMiddleware<Role>>(', '(']],
    ['requires no role in the table', ['authorize(role, mounted', 'authorize(anyCaller, mounted']],
    ['continues with the next row', ["!fault || fault === 'route' ? 'router' : fault", 'fault']],
    ["lets next('route') reach the next row", ["!fault || fault === 'route'", '!fault']],
    ['hides the error of a handler', ["? 'router' : fault)", "? 'router' : 'router')"]],
    [
      'does not wait for a handler',
      ['result?.then?.(undefined, (error) => next(errorFrom(error)))', 'void result'],
    ],
    [
      'continues after an empty error',
      ["error ?? new Error('The handler failed without an error')", 'error'],
    ],
    [
      'throws the error of a handler at the caller',
      [
        '} catch (error) {\n          next(errorFrom(error))',
        '} catch (error) {\n          throw error',
      ],
    ],
    [
      'does not mount a router',
      ["if (!('handle' in handler)) return handler", 'if (true) return handler'],
    ],
    ['does not mark the table', ['markGuard(router, prefix)', 'router']],
    ['marks the table at the root', ['markGuard(router, prefix)', 'markGuard(router)']],
    ['answers a preflight with the methods of a path', ['    router.all(\n', '    router.post(\n']],
  ]),
  ...mutantsOf('adapters/fastify.ts', [
    ['requires no role in a hook', anyCallerOf('new NodeRequestCredentials(request.raw)')],
    ['accepts a misspelt role at start', ['  checkRequirement(guard, role)\n', nothing]],
    [
      'continues after a refusal',
      ["if (decision.outcome === 'refused') return send(reply, decision)", nothing],
    ],
    [
      'does not pass on the caller',
      ['      Object.assign(request, { caller: decision })\n', nothing],
    ],
    ['does not mark its hooks', ['{ value: hookName }', "{ value: 'hook' }"]],
    [
      'guards only the children of a scope',
      ["return Object.assign(plugin, { [Symbol.for('skip-override')]: true })", 'return plugin'],
    ],
    ['has no hook in a scope', ["    app.addHook('onRequest', hook)\n", nothing]],
    ['declares a caller twice', ["if (!app.hasRequestDecorator('caller')) app", 'app']],
    ['takes each hook for a guard', ['greetingGuard ?([^"]*)', '\\w+ ?([^"]*)']],
    [
      'takes guarded routes for a guard of all paths',
      ['path: below, isEverywhere', "path: '', isEverywhere"],
    ],
    [
      'reads only the path of the route',
      ['[routeOptions.url ?? url, url, originalUrl]', "[routeOptions.url ?? '']"],
    ],
    [
      'lists the default answer to unknown paths',
      [" && store.handler.name !== 'basic404'", nothing],
    ],
    ['overlooks handlers of unknown paths', ["path.endsWith('*') &&", 'false &&']],
    [
      'overlooks hooks before a handler of unknown paths',
      ['onRequest?.map(', 'onRequest?.slice(9).map('],
    ],
    [
      'takes a version that does not tell for one without a handler',
      ["[{ method: 'ALL', path: '/*', isGuarded: false }]", '[]'],
    ],
    [
      'counts a hook for one method only',
      ['for (const route of ofLine) route', 'for (const route of ofLine.slice(0, 1)) route'],
    ],
    [
      'overlooks hooks after the first',
      ['onRequest|preParsing|preValidation|preHandler', 'onRequest'],
    ],
    [
      'takes a later hook for a guard',
      ['preValidation|preHandler', 'preValidation|preHandler|onSend'],
    ],
    ['overlooks routes with a constraint', ['(?: \\{.*\\})?$/', '$/']],
    ['loses the start of a path', ["parts.join('')", "(parts.at(-1) ?? '')"]],
    [
      'spells the path of every route in its own way',
      [".replace('(empty root node)', '')", nothing],
    ],
  ]),
  ...mutantsOf('adapters/hono.ts', [
    [
      'requires no role in middleware',
      [
        'const decision = await guard.decide(readRequestCredentials(c.req.raw, c.env), role)',
        'const decision = await guard.decide(readRequestCredentials(c.req.raw, c.env), anyCaller)',
      ],
    ],
    ['accepts a misspelt role at start', ['  checkRequirement(guard, role, prefix)\n', nothing]],
    [
      'continues after a refusal',
      ["    if (decision.outcome === 'refused') return respond(decision)\n    c.set", '    c.set'],
    ],
    ['does not pass on the caller', ["    c.set('caller', decision)\n", nothing]],
    ['does not mark middleware', ['markGuard<GuardMiddleware<Role>>(', '(']],
    ['does not mark the routes of the table', ['markGuard(authorized)', 'authorized']],
    ['does not mark the rest of the table', ['next()), prefix)', 'next()))']],
    [
      'does not unwrap the handlers of an app',
      ['while (handler.__COMPOSED_HANDLER !== undefined)', 'if (false)'],
    ],
    ['overlooks handlers above the prefix', ['&& handler.length > 1', nothing]],
    ['lists middleware of the whole app', ['!isExact && own === undefined &&', 'false &&']],
    [
      'takes a guard of one method for all',
      ["(one.method === 'ALL' || one.method === method) && ", nothing],
    ],
    ['overlooks a guard of all methods', ["one.method === 'ALL' || ", nothing]],
    [
      'takes a guard of one path for those below',
      [' && (!one.isExact || one.path === path)', nothing],
    ],
    ['overlooks a guard of a wildcard', ['|| areCovered(shown, prefix, before)', nothing]],
    ['overlooks a guard of one path', ['before.some((one) => one.isExact) || ', nothing]],
    [
      'takes a guard at a path for one of each spelling',
      ["isEverywhere: base === ''", 'isEverywhere: true'],
    ],
    ['overlooks the prefix of a guard', ['path: base + own', 'path: base']],
    ['forgets that it cannot read notFound', ["open, found), 'notFound']", 'open, found)]']],
  ]),
  ...mutantsOf('adapters/hono.ts', [
    [
      'continues after a refusal of the table',
      [
        "decision.outcome === 'refused' ? respond(decision) : handler(c, decision)",
        'handler(c, decision as never)',
      ],
    ],
  ]),
  ...mutantsOf('adapters/node.ts', [
    ['requires no role before a listener', anyCallerOf('new NodeRequestCredentials(request)')],
    ['accepts a misspelt role at start', ['  checkRequirement(guard, role)\n', nothing]],
    [
      'continues after a refusal',
      [
        "if (decision.outcome === 'refused') sendRefusal(response, decision)\n      else listener",
        "if (decision.outcome !== 'refused' || true) listener",
      ],
    ],
    ['sends no body', ['.end(body)', '.end()']],
  ]),
  ...mutantsOf('adapters/web.ts', [
    ['requires no role before a handler', anyCallerOf('new WebRequestCredentials(request)')],
    ['accepts a misspelt role at start', ['  checkRequirement(guard, role)\n', nothing]],
    [
      'continues after a refusal',
      [
        "decision.outcome === 'refused' ? respond(decision) : handler(request, decision)",
        'handler(request, decision)',
      ],
    ],
    [
      'sends no challenge',
      ['new Response(body, { status, headers })', 'new Response(body, { status })'],
    ],
  ]),
  ...mcpMutants,
  ...mutantsOf('adapters/express-stack.ts', [
    [
      'takes a later guard for an earlier one',
      [
        'const isGuarded = areCovered(',
        'const isGuarded = placed.some(({ layer }) => guardPrefixOf(layer.handle) !== undefined) || areCovered(',
      ],
    ],
    [
      'lets the guard of a router leave it',
      ['guards.filter((guard) => seesAll || areCovered(path, prefix, [guard]))', 'guards'],
    ],
    [
      'forgets the guards before a router',
      [
        'routesOf(handle, path, prefix, before, routers)',
        'routesOf(handle, path, prefix, [], routers)',
      ],
    ],
    ['does not read routers', ['handle.stack !== undefined && !routers.includes(handle)', 'false']],
    ['reads a router in itself for ever', [' && !routers.includes(handle)', nothing]],
    [
      'overlooks functions at the prefix',
      ['!answers && !mayAnswer(path, prefix, guards)', '!answers'],
    ],
    ['lists error handlers', ['handle.length < 4 && ', nothing]],
    [
      'lists middleware of the whole app',
      ['!answers && !mayAnswer(path, prefix, guards)', 'false'],
    ],
    ['overlooks an app in the app', ["['mounted_app', ", '[']],
    ['overlooks static files', [", 'serveStatic'", nothing]],
    ['overlooks a function without next', [' || handle.length < 3', nothing]],
    ['overlooks the prefix of a table', ['path: path + guardPrefix', 'path']],
    [
      'takes a guard at a path for one of each spelling',
      ["isEverywhere: path === ''", 'isEverywhere: true'],
    ],
    ['overlooks functions of a parameter', ["yield { method: 'PARAM', path, isGuarded }", ';']],
    [
      'takes the first segment of a regular expression for a literal one',
      [".replace(/^\\/[\\w.-]+\\//, '/*$&')", nothing],
    ],
    ['does not count the rows of a table', ['if (isTable) yield', 'if (false) yield']],
    [
      'takes a guard after the handler for one before',
      [
        "guardPrefixOf(first?.handle) === ''",
        'route.stack.some(({ handle }) => guardPrefixOf(handle) !== undefined)',
      ],
    ],
    [
      'takes the guard of another method',
      ['route.stack.find((one) => (one.method ?? method) === method)', 'route.stack[0]'],
    ],
    [
      'overlooks a guard of all methods',
      ['(one.method ?? method) === method', 'one.method === method'],
    ],
    [
      'takes a guard with case for one without',
      ['seesAll || areCovered(path, prefix, [guard])', 'true'],
    ],
    [
      'overlooks a guard before the whole of a router',
      ['seesAll || areCovered(path, prefix, [guard])', 'seesAll'],
    ],
    [
      'overlooks a guard before a part of a router',
      ['seesAll || areCovered(path, prefix, [guard])', 'areCovered(path, prefix, [guard])'],
    ],
    [
      'overlooks a guard with case before a router with case',
      ['handle.caseSensitive || !caseSensitive', '!caseSensitive'],
    ],
    [
      'takes a guard of a part for one of the whole',
      ['const isGuarded = areCovered(path, prefix, guards)', 'const isGuarded = guards.length > 0'],
    ],
    [
      'reads only the first of several paths',
      ['return [paths].flat().map', 'return [paths].flat().slice(0, 1).map'],
    ],
    [
      'takes a path that cannot be read for the root',
      ["if (regexp === undefined) return ['/*']", "if (regexp === undefined) return ['']"],
    ],
    ['reads only a router', ['routesOf(router ?? app,', 'routesOf(router ?? {},']],
  ]),
  ...mutantsOf('routes/route-table.ts', [
    ['accepts anything for a guard', ["typeof guard?.decide !== 'function'", 'false']],
    [
      'accepts any role in middleware',
      ['role !== anyCaller && !guard.roles.includes(role)', 'false'],
    ],
    ['accepts no role but anyCaller in middleware', [' && !guard.roles.includes(role)', nothing]],
    [
      'waits in each request',
      [
        'outcome instanceof Promise ? outcome.then(answer) : answer(outcome)',
        'Promise.resolve(outcome).then(answer)',
      ],
    ],
  ]),
  ...mutantsOf('routes/unguarded-routes.ts', [
    ['passes with nothing to check', ['if (below.length === 0)', 'if (false)']],
    ['passes with a needless open route', ['if (unused !== undefined)', 'if (false)']],
    ['lists routes with a guard', ['.filter(({ isGuarded }) => !isGuarded)', nothing]],
    ['lists routes that are open on purpose', ['.filter((line) => !open.includes(line))', nothing]],
    ['never throws', ['if (unguarded.length === 0) return', 'return']],
    ['lists a route twice', ['[...new Set(lines)]', 'lines']],
    ['names every method', ["methods.size > 6 ? 'ALL' : method", 'method']],
    [
      'marks guards for one copy of the package',
      ["Symbol.for('@greeting/guard')", "Symbol('@greeting/guard')"],
    ],
    ['overlooks wildcards above the prefix', ['if (special.test(found)) return true', nothing]],
    ['overlooks parameters above the prefix', ["!found.includes(':') && ", nothing]],
    [
      'overlooks another case',
      ['found.toLowerCase() !== wanted.toLowerCase()', 'found !== wanted'],
    ],
    [
      'takes every route for one below the prefix',
      ['if (found === undefined) return false', nothing],
      [
        "if (!found.includes(':') && found.toLowerCase() !== wanted.toLowerCase()) return false",
        nothing,
      ],
    ],
    [
      'takes a regular expression for a guard of its text',
      ['if (special.test(found) || special.test(wanted)) return false', nothing],
    ],
    ['overlooks guards with a parameter', ['/^:\\w+$/.test(wanted) || ', nothing]],
    [
      'takes a guard with a pattern for one of all paths',
      ['/^:\\w+$/.test(wanted)', "wanted.startsWith(':')"],
    ],
    [
      'lists a function above the prefix',
      ['length > 0 && length >= segmentsOf(prefix).length', 'true'],
    ],
    [
      'overlooks a guard before the prefix',
      [' || (guard.isEverywhere && isCovered(prefix, guard.path))', nothing],
    ],
    [
      'takes each guard for one of each spelling',
      ['(guard.isEverywhere && isCovered', '(isCovered'],
    ],
    [
      'takes middleware behind a guard at a path for guarded',
      ['!one.isEverywhere && (', 'false && ('],
    ],
    [
      'takes middleware behind a guard at another path for open',
      ['!one.isEverywhere && (', '!one.isEverywhere || ('],
    ],
    ['does not name middleware', ['middleware ? [', 'false ? [']],
    ['overlooks functions at the prefix itself', ['length >= segmentsOf', 'length > segmentsOf']],
  ]),
]
