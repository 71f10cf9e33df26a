package dev.outbox.test.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.autoconfigure.jdbc.AutoConfigureDataSourceInitialization;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.Environment;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Test slice of handlers and publishers: JDBC, transactions, database migrations, the outbox and an embedded PostgreSQL. Of the application's
 * components, it includes only those that it names; {@code @Import} adds others. A test method has no transaction, so that what it publishes
 * is committed; see {@link AutoConfigureOutbox}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(OutboxTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(OutboxTypeExcludeFilter.class)
@AutoConfigureDataSourceInitialization
@AutoConfigureOutbox
@ImportAutoConfiguration
public @interface OutboxTest {

    /** {@return the handlers and other components to include, which component scanning must find} */
    Class<?>[] value() default {};

    /** {@return the database of the test} */
    @AliasFor(annotation = AutoConfigureOutbox.class, attribute = "database")
    TestDatabase database() default TestDatabase.EMBEDDED;

    /** {@return properties in the form {@code key=value} to add to the {@link Environment}} */
    String[] properties() default {};

    /** {@return whether to exclude the application's components that {@link #value()} does not name} */
    boolean useDefaultFilters() default true;

    /** {@return filters of further components to include} */
    ComponentScan.Filter[] includeFilters() default {};

    /** {@return filters of components to exclude} */
    ComponentScan.Filter[] excludeFilters() default {};

    /** {@return auto-configurations to exclude} */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
