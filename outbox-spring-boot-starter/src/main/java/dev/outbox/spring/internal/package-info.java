/** What the modules of Outbox share. It is no API. */
@NullMarked
package dev.outbox.spring.internal;

import org.jspecify.annotations.NullMarked;
