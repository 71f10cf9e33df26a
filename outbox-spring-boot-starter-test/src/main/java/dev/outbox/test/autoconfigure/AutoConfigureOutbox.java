package dev.outbox.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Adds the outbox and its {@link dev.outbox.test.OutboxTester OutboxTester} to a test: {@code @SpringBootTest}, {@code @DataJpaTest} or
 * {@code @JdbcTest}. By default, the test runs on an embedded PostgreSQL, see {@link #database()}. The background pollers are off: the test calls
 * {@link dev.outbox.test.OutboxTester#drain() drain()}.
 *
 * <p>The transaction of a test method is not committed in {@code @DataJpaTest} and {@code @JdbcTest}, unless the test says otherwise, for
 * example with {@code @Transactional(propagation = Propagation.NOT_SUPPORTED)}. Nothing is delivered before the commit.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureOutbox {

    /** Property of the test's environment that holds {@link #database()}. */
    String DATABASE = "spring.test.outbox.database";

    /** {@return the database of the test} */
    TestDatabase database() default TestDatabase.EMBEDDED;
}
