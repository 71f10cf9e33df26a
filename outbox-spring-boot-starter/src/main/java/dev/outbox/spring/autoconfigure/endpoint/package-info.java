/** Actuator endpoint that shows the state of the outbox and lets operators act. */
@NullMarked
package dev.outbox.spring.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
