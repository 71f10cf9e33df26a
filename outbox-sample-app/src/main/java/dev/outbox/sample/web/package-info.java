/** Shared parts of the HTTP APIs. */
@NullMarked
package dev.outbox.sample.web;

import org.jspecify.annotations.NullMarked;
