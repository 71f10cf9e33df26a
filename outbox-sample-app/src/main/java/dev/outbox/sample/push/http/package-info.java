/** Calls push gateways over HTTP. */
@NullMarked
package dev.outbox.sample.push.http;

import org.jspecify.annotations.NullMarked;
