package dev.outbox.internal.schema;

import dev.outbox.internal.sql.NetworkTimeout;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeansException;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.util.ClassUtils;

/** Opens connections outside a pool, with its current credentials, which it reads as bean properties, and its URL or another one. */
public final class UnpooledDataSource extends AbstractDataSource {

    /** Pools that a proxy may lead to. Their getters are called by reflection. */
    private static final List<String> POOLS = List.of(
            "com.zaxxer.hikari.HikariDataSource",
            "org.apache.tomcat.jdbc.pool.DataSource",
            "org.apache.commons.dbcp2.BasicDataSource");

    static final String DIRECT_URL = "outbox.direct-url";

    private static final String LOGIN_TIMEOUT_SECONDS = "10";

    private static final String[] URLS = {"jdbcUrl", "url"};

    private final DataSource pooled;
    private final BeanWrapper pool;
    private final @Nullable String url;

    private UnpooledDataSource(DataSource pooled, BeanWrapper pool, @Nullable String url) {
        this.pooled = pooled;
        this.pool = pool;
        this.url = url;
    }

    /** Returns the connections behind a pool, if it says how it opens them. */
    public static Optional<DataSource> behind(DataSource dataSource) {
        return find(dataSource).map(DataSource.class::cast);
    }

    static Optional<UnpooledDataSource> find(DataSource dataSource) {
        return dataSource instanceof UnpooledDataSource itself
                ? Optional.of(itself)
                : pool(dataSource).map((pool) -> new UnpooledDataSource(dataSource, pool, null));
    }

    /** Returns connections to another URL. Its parameters may contain other credentials than those of the pool. */
    public static DataSource at(String url, DataSource dataSource) {
        return new UnpooledDataSource(
                dataSource,
                pool(dataSource).orElseGet(() -> PropertyAccessorFactory.forBeanPropertyAccess(dataSource)),
                url);
    }

    private static Optional<BeanWrapper> pool(DataSource dataSource) {
        DataSource current = unwrapped(dataSource);
        BeanWrapper bean = PropertyAccessorFactory.forBeanPropertyAccess(current);
        if (read(bean, String.class, URLS) != null) {
            return Optional.of(bean);
        }
        DataSource target = read(bean, DataSource.class, "dataSource", "targetDataSource");
        return target == null || target == current ? Optional.empty() : pool(target);
    }

    /** Returns whether the URL is another than that of the pool. */
    public boolean hasOwnUrl() {
        return url != null;
    }

    /** Returns the pool's connections, which this one bypasses. */
    DataSource pooled() {
        return pooled;
    }

    @Nullable
    String url() {
        return url != null ? url : read(pool, String.class, URLS);
    }

    /** Returns the property that has the URL. */
    String property() {
        return url != null ? DIRECT_URL : "spring.datasource.url";
    }

    @Nullable
    String user() {
        return read(pool, String.class, "username", "user");
    }

    /** A proxy has no properties of the pool, but leads to it. */
    private static DataSource unwrapped(DataSource dataSource) {
        ClassLoader loader = dataSource.getClass().getClassLoader();
        for (String name : POOLS) {
            if (ClassUtils.isPresent(name, loader)) {
                Class<?> pool = ClassUtils.resolveClassName(name, loader);
                try {
                    if (dataSource.isWrapperFor(pool) && dataSource.unwrap(pool) instanceof DataSource found) {
                        return found;
                    }
                } catch (SQLException | IllegalStateException ex) {
                    // A routing DataSource may have no target for this thread.
                    return dataSource;
                }
            }
        }
        return dataSource;
    }

    private static <T> @Nullable T read(BeanWrapper bean, Class<T> type, String... names) {
        for (String name : names) {
            try {
                if (bean.isReadableProperty(name) && type.isInstance(bean.getPropertyValue(name))) {
                    return type.cast(bean.getPropertyValue(name));
                }
            } catch (BeansException ex) {
                // A property that cannot be read is missing.
            }
        }
        return null;
    }

    @Override
    public Connection getConnection() throws SQLException {
        String current = url();
        if (current == null) {
            throw new SQLException("the pool has no URL any more: " + pool.getWrappedClass());
        }
        Properties properties = new Properties();
        // Detects a peer that disappeared: this connection is idle most of the time.
        properties.setProperty("tcpKeepAlive", "true");
        // A server or pooler may accept a connection and not answer.
        properties.setProperty("loginTimeout", LOGIN_TIMEOUT_SECONDS);
        Properties own = read(pool, Properties.class, "dataSourceProperties", "connectionProperties");
        if (own != null) {
            own.stringPropertyNames().forEach((name) -> properties.setProperty(name, own.getProperty(name)));
        }
        BeanWrapper credentials = credentials();
        set(properties, "user", read(credentials, String.class, "username", "user"));
        set(properties, "password", read(credentials, String.class, "password"));
        Connection connection = DriverManager.getConnection(current, properties);
        String initSql = read(pool, String.class, "connectionInitSql");
        if (initSql != null) {
            initialize(connection, initSql);
        }
        return connection;
    }

    /** Returns fresh credentials if the pool has a provider of short-lived ones, such as tokens of IAM; otherwise those of the pool. */
    private BeanWrapper credentials() throws SQLException {
        Object provider = read(pool, Object.class, "credentialsProvider");
        if (provider == null) {
            return pool;
        }
        try {
            Object fresh =
                    PropertyAccessorFactory.forBeanPropertyAccess(provider).getPropertyValue("credentials");
            return fresh == null ? pool : PropertyAccessorFactory.forBeanPropertyAccess(fresh);
        } catch (BeansException ex) {
            throw new SQLException("the credentials provider of the pool failed", ex);
        }
    }

    private static void initialize(Connection connection, String sql) throws SQLException {
        try (NetworkTimeout limit = NetworkTimeout.on(connection, NetworkTimeout.DEFAULT);
                Statement statement = limit.connection().createStatement()) {
            statement.execute(sql);
        } catch (SQLException ex) {
            connection.close();
            throw ex;
        }
    }

    private static void set(Properties properties, String name, @Nullable String value) {
        if (value != null) {
            properties.setProperty(name, value);
        }
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the credentials are those of the pool");
    }
}
