/** Sends pushes over the HTTP v1 API of Firebase Cloud Messaging. */
@NullMarked
package dev.outbox.sample.push.fcm;

import org.jspecify.annotations.NullMarked;
