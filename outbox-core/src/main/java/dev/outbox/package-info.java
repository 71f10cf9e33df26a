/** What an application touches: publishing events, handling them, and the errors of both. */
@NullMarked
package dev.outbox;

import org.jspecify.annotations.NullMarked;
