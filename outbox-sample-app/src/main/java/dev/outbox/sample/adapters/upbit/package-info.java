/** Places orders at Upbit over its REST API. */
@NullMarked
package dev.outbox.sample.adapters.upbit;

import org.jspecify.annotations.NullMarked;
