/** Forwarding to message channels of Spring Messaging. The front door is {@link dev.outbox.messaging.internal.channel.ChannelTarget}. */
@NullMarked
package dev.outbox.messaging.internal.channel;

import org.jspecify.annotations.NullMarked;
