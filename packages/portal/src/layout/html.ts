import type { html } from 'hono/html'

/** A part of a page. `html` escapes every value within it. */
export type Html = ReturnType<typeof html> | string | readonly Html[]
