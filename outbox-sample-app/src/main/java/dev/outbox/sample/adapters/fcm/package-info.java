/** Sends pushes over the HTTP v1 API of Firebase Cloud Messaging. */
@NullMarked
package dev.outbox.sample.adapters.fcm;

import org.jspecify.annotations.NullMarked;
