/** RabbitMQ, from the publisher to a consumer. */
@NullMarked
package dev.outbox.messaging.rabbit;

import org.jspecify.annotations.NullMarked;
