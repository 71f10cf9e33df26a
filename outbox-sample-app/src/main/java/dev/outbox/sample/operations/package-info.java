/** Shows the outbox to whoever runs the service. */
@NullMarked
package dev.outbox.sample.operations;

import org.jspecify.annotations.NullMarked;
