/** Application of Spring Modulith that the tests use. */
@NullMarked
package dev.outbox.modulith.shop;

import org.jspecify.annotations.NullMarked;
