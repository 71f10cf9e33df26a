package dev.outbox.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Guarantee that a test shows; {@code verification/guarantees.md} lists all of them. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(Guarantee.Several.class)
public @interface Guarantee {

    /** The guarantee, G1 to G8. */
    String value();

    /** What exactly the test shows, in one sentence. */
    String sentence();

    /** Guarantees of a test that shows more than one. */
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Several {

        /** The guarantees. */
        Guarantee[] value();
    }
}
