/** Places orders at Upbit over its REST API. */
@NullMarked
package dev.outbox.sample.trading.upbit;

import org.jspecify.annotations.NullMarked;
