import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 create all objects in its young generation.
 *
 * The same functions make the objects of the cache, which live long, and those of lists, which do not.
 * V8 learns from the cache, and would create the objects of lists in its old generation too. A minor
 * collection would then copy every text that they refer to, although no list needs it any more.
 */
export function createObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
