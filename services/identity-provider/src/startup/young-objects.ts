import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 create all objects in its young generation.
 *
 * The same functions make the objects of the cache, which live long, and those of lists, which do not.
 * By the former, V8 would create both in the old generation. A minor collection would then copy every
 * text of a list, because an object of the old generation refers to it.
 */
export function createObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
