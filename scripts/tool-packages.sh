# The packages that the converter needs. LibreOffice: only the parts for texts, tables and slides. bubblewrap and util-linux isolate and limit the programs.
tool_packages=(
  ffmpeg
  imagemagick
  libheif-examples
  libimage-exiftool-perl
  libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui
  poppler-utils
  fonts-dejavu-core
  bubblewrap util-linux
)
