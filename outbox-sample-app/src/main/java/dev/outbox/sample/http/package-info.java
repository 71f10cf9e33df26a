/** Calls other systems over HTTP. */
@NullMarked
package dev.outbox.sample.http;

import org.jspecify.annotations.NullMarked;
