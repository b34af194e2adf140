import type { Contender } from './contender.ts'
import { startGreetingApi } from './greeting-api.ts'
import { guardedRoute, type RouteServer, shared } from './guarded-route.ts'
import { haproxy } from './haproxy.ts'
import { startPeer } from './peer-process.ts'

const peer = (file: string): RouteServer => ({
  path: '/api/v1/hi',
  start: (lab, cores) => startPeer(file, lab, cores),
})

/** Rows that share a heat: so few that no server idles long before its next turn. */
const remembered = (heat: string) =>
  ({
    heat: `${heat}, tokens remembered`,
    tokens: 'few',
    needs: [],
    comparedWith: ['haproxy-jwt-verify'],
  }) as const
const everyOneNew = (heat: string) =>
  ({
    heat: `${heat}, every token new`,
    tokens: 'every one new',
    needs: [],
    comparedWith: ['haproxy-jwt-verify-new'],
  }) as const

/** Both routes of one process: two processes of the same program differ by more than a guard costs. */
const greeting = (runtime: 'node' | 'bun'): Record<'open' | 'guarded', RouteServer> => {
  const start = shared((lab, cores) => startGreetingApi(runtime, lab, cores))
  return { open: { path: '/healthz', start }, guarded: { path: '/api/v1/hi', start } }
}

const onNode = greeting('node')
const onBun = greeting('bun')

/** Everybody's guarded `GET`, and what their platforms do with nobody guarding. */
export const resourceServers: readonly Contender[] = [
  guardedRoute({
    id: 'greeting-node-open',
    title: 'Greeting on Node, open',
    server: onNode.open,
    open: true,
    ...remembered('Greeting'),
  }),
  guardedRoute({
    id: 'greeting-node-remembered',
    title: 'Greeting on Node, guarded, remembered',
    server: onNode.guarded,
    ...remembered('Greeting'),
    comparedWith: ['greeting-node-open', 'haproxy-jwt-verify'],
  }),
  guardedRoute({
    id: 'greeting-node-new',
    title: 'Greeting on Node, guarded, every token new',
    server: onNode.guarded,
    ...everyOneNew('Greeting'),
  }),
  guardedRoute({
    id: 'greeting-bun-open',
    title: 'Greeting on Bun, open',
    server: onBun.open,
    open: true,
    ...remembered('Greeting'),
    needs: ['bun'],
  }),
  guardedRoute({
    id: 'greeting-bun-remembered',
    title: 'Greeting on Bun, guarded, remembered',
    server: onBun.guarded,
    ...remembered('Greeting'),
    needs: ['bun'],
    comparedWith: ['greeting-bun-open', 'haproxy-jwt-verify'],
  }),
  guardedRoute({
    id: 'greeting-bun-new',
    title: 'Greeting on Bun, guarded, every token new',
    server: onBun.guarded,
    ...everyOneNew('Greeting'),
    needs: ['bun'],
  }),
  guardedRoute({
    id: 'haproxy-open',
    title: 'HAProxy, open',
    server: haproxy('open'),
    open: true,
    ...remembered('unguarded'),
    needs: ['haproxy'],
  }),
  guardedRoute({
    id: 'haproxy-jwt-verify',
    title: 'HAProxy `jwt_verify`',
    server: haproxy('guarded'),
    ...remembered('Greeting'),
    needs: ['haproxy'],
    comparedWith: [],
  }),
  guardedRoute({
    id: 'haproxy-jwt-verify-new',
    title: 'HAProxy `jwt_verify`, every token new',
    server: haproxy('guarded'),
    ...everyOneNew('Greeting'),
    needs: ['haproxy'],
    comparedWith: [],
  }),
  guardedRoute({
    id: 'node-http-open',
    title: 'bare `node:http`, open',
    server: peer('node-http'),
    open: true,
    ...remembered('unguarded'),
  }),
  guardedRoute({
    id: 'node-http-verify-new',
    title: 'bare `node:http` that verifies and keeps nothing, every token new',
    server: peer('node-http-verify'),
    ...everyOneNew('Greeting'),
  }),
  guardedRoute({
    id: 'fast-jwt',
    title: 'Fastify + fast-jwt with its cache',
    server: peer('fast-jwt'),
    ...remembered('Fastify'),
  }),
  guardedRoute({
    id: 'fast-jwt-new',
    title: 'Fastify + fast-jwt with its cache, every token new',
    server: peer('fast-jwt'),
    ...everyOneNew('Fastify'),
  }),
  guardedRoute({
    id: 'fastify-jose',
    title: 'Fastify + jose',
    server: peer('fastify-jose'),
    ...remembered('Fastify'),
  }),
  guardedRoute({
    id: 'fastify-jose-new',
    title: 'Fastify + jose, every token new',
    server: peer('fastify-jose'),
    ...everyOneNew('Fastify'),
  }),
  guardedRoute({
    id: 'express-oauth2-jwt-bearer',
    title: 'Express + express-oauth2-jwt-bearer',
    server: peer('express-oauth2-jwt-bearer'),
    ...remembered('Express and Hono'),
  }),
  guardedRoute({
    id: 'fastify-jwt-get-jwks',
    title: '@fastify/jwt + get-jwks',
    server: peer('fastify-jwt-get-jwks'),
    ...remembered('Fastify'),
  }),
  guardedRoute({
    id: 'hono-jwk',
    title: 'Hono `jwk`',
    server: peer('hono-jwk'),
    ...remembered('Express and Hono'),
  }),
]
