#include "tools/server/bolt/tls.h"

namespace fornix::bolt {
namespace {

namespace ssl = boost::asio::ssl;
using ErrorCode = boost::system::error_code;

Status Wrong(const std::string& path, const ErrorCode& error) { return Status(Code::kUsage, path + ": " + error.message()); }

void NothingOld(ssl::context* context) {
  // No compression, no renegotiation that a client asks for, nothing below 1.2.
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
}

}  // namespace

Result<std::unique_ptr<TlsCertificate>> TlsCertificate::Read(const std::string& certificate_path, const std::string& key_path) {
  std::unique_ptr<TlsCertificate> certificate(new TlsCertificate(certificate_path, key_path));
  RETURN_IF_ERROR(certificate->ReadAgain());
  return certificate;
}

Status TlsCertificate::ReadAgain() {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  NothingOld(context.get());
  ErrorCode error;
  context->use_certificate_chain_file(certificate_path_, error);
  if (error) return Wrong(certificate_path_, error);
  context->use_private_key_file(key_path_, ssl::context::pem, error);
  if (error) return Wrong(key_path_, error);
  if (SSL_CTX_check_private_key(context->native_handle()) != 1) return Status(Code::kUsage, key_path_ + " is not the key of " + certificate_path_);
  std::lock_guard lock(mutex_);
  context_ = std::move(context);
  return Status::Ok();
}

std::shared_ptr<ssl::context> TlsCertificate::context() const {
  std::lock_guard lock(mutex_);
  return context_;
}

Result<std::unique_ptr<ssl::context>> ClientTls(bool verify) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_client);
  NothingOld(context.get());
  ErrorCode error;
  if (verify) context->set_default_verify_paths(error);
  if (!error) context->set_verify_mode(verify ? ssl::verify_peer : ssl::verify_none, error);
  if (error) return Status(Code::kIoError, "the certificates that this system trusts: " + error.message());
  return context;
}

}  // namespace fornix::bolt
