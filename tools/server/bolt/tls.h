// TLS 1.2 and 1.3 by OpenSSL 3: a server's certificate, which can be read anew while connections stay, and a client's trust.
// Threads: TlsCertificate from any; the contexts it gives are never changed.
#pragma once

#include <boost/asio/ssl.hpp>
#include <memory>
#include <mutex>
#include <string>

#include "fornix/status.h"

namespace fornix::bolt {

class TlsCertificate {
 public:
  // PEM files: the certificate with its chain, and its key. What doesn't fit together is an error that names the file.
  static Result<std::unique_ptr<TlsCertificate>> Read(const std::string& certificate_path, const std::string& key_path);
  // For connections to come. After an error the old one stays.
  Status ReadAgain();
  std::shared_ptr<boost::asio::ssl::context> context() const;

 private:
  TlsCertificate(std::string certificate_path, std::string key_path) : certificate_path_(std::move(certificate_path)), key_path_(std::move(key_path)) {}

  const std::string certificate_path_, key_path_;
  mutable std::mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> context_;   // under mutex_
};

// `verify`: the server's certificate must be signed by somebody whom this system trusts, and be the host's.
Result<std::unique_ptr<boost::asio::ssl::context>> ClientTls(bool verify);

}  // namespace fornix::bolt
